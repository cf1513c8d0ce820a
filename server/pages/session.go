package pages

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	"nomograph/server"
)

const (
	sessionTime     = 12 * time.Hour
	invitationTime  = 2 * time.Minute
	invitationField = "open"
	secretField     = "secret"
	keyBytes        = 32
)

// session is the content of the session cookie, encrypted and authenticated with the server's key.
type session struct {
	ID    string    `json:"i"`
	Token string    `json:"t,omitempty"` // token of the graph or of the provider with which the person signed in
	Name  string    `json:"n,omitempty"` // person who ran `nomograph open`
	Local bool      `json:"l,omitempty"` // `nomograph open` sent the visitor
	Until time.Time `json:"u"`
	// For a browser that is at the provider: the expected state, the PKCE verifier, and the page to open afterwards.
	State, Verifier, To string `json:",omitempty"`
}

// invitation is the one-time access that `nomograph open` puts into the URL.
type invitation struct {
	ID      string    `json:"i"`
	Name    string    `json:"n"`
	Address string    `json:"a"` // host:port for which it is valid
	Made    time.Time `json:"m"`
}

// sealedSessions encrypts and decrypts session cookies. The server itself stores only the used invitations.
type sealedSessions struct {
	session, invitation cipher.AEAD
	secret              []byte
	now                 func() time.Time
	started             time.Time

	mu   sync.Mutex
	used map[string]time.Time
}

func newSessions(key []byte, now func() time.Time) *sealedSessions {
	if len(key) == 0 {
		key = NewKey()
	}
	return &sealedSessions{session: sealer(key, "session"), invitation: sealer(key, invitationField),
		secret: derived(key, "form"), now: now, started: now(), used: map[string]time.Time{}}
}

// NewKey returns a random key for Options.
func NewKey() []byte {
	key := make([]byte, keyBytes)
	_, _ = rand.Read(key) // rand.Read never fails
	return key
}

func derived(key []byte, use string) []byte {
	out, err := hkdf.Key(sha256.New, key, nil, "nomograph pages "+use, keyBytes)
	if err != nil { // the length is constant
		panic(err)
	}
	return out
}

func sealer(key []byte, use string) cipher.AEAD {
	block, err := aes.NewCipher(derived(key, use))
	if err == nil {
		var sealer cipher.AEAD
		if sealer, err = cipher.NewGCMWithRandomNonce(block); err == nil {
			return sealer
		}
	}
	panic(err) // the length is constant
}

func seal(with cipher.AEAD, value any) string {
	text, err := json.Marshal(value)
	if err != nil { // strings and times always encode
		panic(err)
	}
	return base64.RawURLEncoding.EncodeToString(with.Seal(nil, nil, text, nil))
}

func unseal(with cipher.AEAD, sealed string, into any) bool {
	raw, err := base64.RawURLEncoding.DecodeString(sealed)
	if err != nil {
		return false
	}
	text, err := with.Open(nil, nil, raw, nil)
	return err == nil && json.Unmarshal(text, into) == nil
}

// Invitation returns a one-time access to the pages at address (host:port). It is valid for two minutes and allows
// changes.
func Invitation(key []byte, address, name string) string {
	return seal(sealer(key, invitationField), invitation{ID: rand.Text(), Name: name, Address: address,
		Made: time.Now()})
}

// WithInvitation returns the URL of a page with an invitation.
func WithInvitation(page, invitation string) string {
	mark := "?"
	if strings.Contains(page, "?") {
		mark = "&"
	}
	return page + mark + invitationField + "=" + invitation
}

// accept accepts an invitation once. It rejects invitations from before the start of this process, because it does not
// know whether they were used.
func (s *sealedSessions) accept(word, address string) (name string, good bool) {
	var i invitation
	if !unseal(s.invitation, word, &i) || !strings.EqualFold(i.Address, address) || i.Made.Before(s.started) || s.now().
		Sub(i.Made) > invitationTime {
		return "", false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for id, made := range s.used {
		if s.now().Sub(made) > invitationTime {
			delete(s.used, id)
		}
	}
	if _, again := s.used[i.ID]; again {
		return "", false
	}
	s.used[i.ID] = i.Made
	return i.Name, true
}

// cookieName depends on the port, because browsers share cookies between the ports of a host. With TLS, the __Host-
// prefix prevents other hosts from setting it.
func cookieName(r *http.Request) string {
	name := "nomograph"
	if _, port, err := net.SplitHostPort(r.Host); err == nil {
		name += "-" + port
	}
	if overTLS(r) {
		return "__Host-" + name
	}
	return name
}

// sentCookie is the cookie name of a sign-in at the provider. A separate cookie keeps the current session if the
// sign-in is not completed.
func sentCookie(r *http.Request) string { return cookieName(r) + "-sent" }

func overTLS(r *http.Request) bool { return strings.HasPrefix(server.BaseURL(r), "https:") }

// maxCookie is the maximum size of a cookie in bytes that all browsers store.
const maxCookie = 4000

// begin sets the session cookie. It returns false if the cookie would be too large because of a long token.
func (s *sealedSessions) begin(w http.ResponseWriter, r *http.Request, of session) bool {
	of.ID = rand.Text()
	if end := s.now().Add(sessionTime); of.Until.IsZero() || of.Until.After(end) {
		of.Until = end
	}
	sealed := seal(s.session, of)
	if len(sealed) > maxCookie {
		return false
	}
	name := cookieName(r)
	if of.State != "" {
		name = sentCookie(r)
	}
	set(w, r, name, sealed, 0)
	return true
}

// set sets a cookie; with a negative age, it deletes it.
func set(w http.ResponseWriter, r *http.Request, name, value string, age int) {
	http.SetCookie(w, &http.Cookie{Name: name, Value: value, Path: "/", MaxAge: age, HttpOnly: true, Secure: overTLS(r),
		SameSite: http.SameSiteStrictMode})
}

// of returns the session of a request. It ignores cookies in requests from other origins, whatever server.cors_origins
// allows, because browsers send a host's cookies from pages on all of its ports.
func (s *sealedSessions) of(r *http.Request) (session, bool) {
	found, ok := s.unsealed(r, cookieName(r))
	return found, ok && found.State == ""
}

// sent returns the pending sign-in of a browser that was redirected to the provider.
func (s *sealedSessions) sent(r *http.Request) (session, bool) {
	found, ok := s.unsealed(r, sentCookie(r))
	return found, ok && found.State != ""
}

func (s *sealedSessions) unsealed(r *http.Request, name string) (found session, ok bool) {
	cookie, err := r.Cookie(name)
	ok = err == nil && server.SameOrigin(r) && unseal(s.session, cookie.Value, &found) && s.now().Before(found.Until)
	return found, ok
}

// secretOf returns the CSRF token of a session; "" without a session.
func (s *sealedSessions) secretOf(r *http.Request) string {
	of, ok := s.of(r)
	if !ok {
		return ""
	}
	mac := hmac.New(sha256.New, s.secret)
	mac.Write([]byte(of.ID))
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

func (s *sealedSessions) isSecret(r *http.Request, given string) bool {
	wanted := s.secretOf(r)
	return wanted != "" && hmac.Equal([]byte(wanted), []byte(given))
}
