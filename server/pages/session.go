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

// session is what the cookie holds, sealed: nobody but a server with the key can read it, or make one.
type session struct {
	ID    string    `json:"i"`
	Token string    `json:"t,omitempty"` // of the graph or of a provider, by which its owner signed in
	Name  string    `json:"n,omitempty"` // who opened the pages on this machine
	Local bool      `json:"l,omitempty"` // `nomograph open` sent the visitor
	Until time.Time `json:"u"`
	// Of somebody who was sent to the provider, and is not back yet: what has to come back, what the code is worth nothing without, and where to go then.
	State, Verifier, To string `json:",omitempty"`
}

// invitation is what `nomograph open` puts into the address.
type invitation struct {
	ID      string    `json:"i"`
	Name    string    `json:"n"`
	Address string    `json:"a"` // host and port that it is for
	Made    time.Time `json:"m"`
}

// sealedSessions seals and opens what browsers keep for a server, which itself keeps only the invitations that were used.
type sealedSessions struct {
	session, invitation cipher.AEAD
	secret              []byte
	now                 func() time.Time
	begun               time.Time

	mu   sync.Mutex
	used map[string]time.Time
}

func newSessions(key []byte, now func() time.Time) *sealedSessions {
	if len(key) == 0 {
		key = NewKey()
	}
	return &sealedSessions{session: sealer(key, "session"), invitation: sealer(key, invitationField), secret: derived(key, "form"), now: now, begun: now(), used: map[string]time.Time{}}
}

// NewKey gives a key for Options.
func NewKey() []byte {
	key := make([]byte, keyBytes)
	_, _ = rand.Read(key) // it never fails
	return key
}

func derived(key []byte, use string) []byte {
	out, err := hkdf.Key(sha256.New, key, nil, "nomograph pages "+use, keyBytes)
	if err != nil { // the length is a constant
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
	panic(err) // the length is a constant
}

func seal(with cipher.AEAD, value any) string {
	text, err := json.Marshal(value)
	if err != nil { // texts and times
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

// Invitation gives the word that lets whoever has it change something on the pages at an address, host:port, once and within two minutes.
func Invitation(key []byte, address, name string) string {
	return seal(sealer(key, invitationField), invitation{ID: rand.Text(), Name: name, Address: address, Made: time.Now()})
}

// WithInvitation is the address of a page, with an invitation.
func WithInvitation(page, invitation string) string {
	mark := "?"
	if strings.Contains(page, "?") {
		mark = "&"
	}
	return page + mark + invitationField + "=" + invitation
}

// accept takes an invitation once. One from before this process is refused, since whether it was used is not known.
func (s *sealedSessions) accept(word, address string) (name string, good bool) {
	var i invitation
	if !unseal(s.invitation, word, &i) || !strings.EqualFold(i.Address, address) || i.Made.Before(s.begun) || s.now().Sub(i.Made) > invitationTime {
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

// cookieName differs by port: browsers give a cookie to every port of a host. Under TLS, no other host can set it.
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

// sentName is of the cookie of somebody who was sent to the provider. It is not that of the session, which a link to the provider would end.
func sentName(r *http.Request) string { return cookieName(r) + "-sent" }

func overTLS(r *http.Request) bool { return strings.HasPrefix(server.BaseURL(r), "https:") }

// maxCookie is what browsers keep of one.
const maxCookie = 4000

// begin gives the browser a session. It tells whether the browser will keep it: a token may be too long.
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
		name = sentName(r)
	}
	set(w, r, name, sealed, 0)
	return true
}

func (s *sealedSessions) end(w http.ResponseWriter, r *http.Request) {
	set(w, r, cookieName(r), "", -1)
}

func (s *sealedSessions) endSent(w http.ResponseWriter, r *http.Request) {
	set(w, r, sentName(r), "", -1)
}

func set(w http.ResponseWriter, r *http.Request, name, value string, age int) {
	http.SetCookie(w, &http.Cookie{Name: name, Value: value, Path: "/", MaxAge: age, HttpOnly: true, Secure: overTLS(r), SameSite: http.SameSiteStrictMode})
}

// of gives the session that a request belongs to. A cookie counts only in a request that no page of another origin has sent, whatever
// server.cors_origins allows: browsers send the cookie of a host from the pages of each of its ports.
func (s *sealedSessions) of(r *http.Request) (session, bool) {
	found, ok := s.unsealed(r, cookieName(r))
	return found, ok && found.State == ""
}

// sent gives what is known of a browser that was sent to the provider.
func (s *sealedSessions) sent(r *http.Request) (session, bool) {
	found, ok := s.unsealed(r, sentName(r))
	return found, ok && found.State != ""
}

func (s *sealedSessions) unsealed(r *http.Request, name string) (found session, has bool) {
	cookie, err := r.Cookie(name)
	has = err == nil && server.SameOrigin(r) && unseal(s.session, cookie.Value, &found) && s.now().Before(found.Until)
	return found, has
}

// secretOf is what the forms of a session carry; "" where there is none.
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
