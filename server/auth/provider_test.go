package auth_test

import (
	"context"
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"
	"github.com/rs/zerolog"

	"nomograph/graph/graphtest"
	"nomograph/internal/apperr"
	"nomograph/internal/caller"
	"nomograph/server"
	"nomograph/server/auth"
	"nomograph/tokens"
	"nomograph/tools/toolstest"
)

const audience = "https://nomograph.example.org/mcp"

// issuer is an OpenID provider on this machine.
type issuer struct {
	*httptest.Server
	keys   map[string]crypto.Signer // published keys
	says   string                   // issuer name; empty for its URL
	away   atomic.Bool
	asked  atomic.Int32 // number of requests for keys
	clock  atomic.Int64 // Unix time in nanoseconds
	chosen string       // signing key of the next token
}

func newIssuer(t *testing.T) *issuer {
	t.Helper()
	i := &issuer{keys: map[string]crypto.Signer{"one": signer(t, jose.ES256)}, chosen: "one"}
	i.pass(time.Duration(time.Now().UnixNano()))
	i.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if i.away.Load() {
			http.Error(w, "away", http.StatusBadGateway)
			return
		}
		switch r.URL.Path {
		case "/.well-known/openid-configuration":
			says := i.says
			if says == "" {
				says = i.URL
			}
			_ = json.NewEncoder(w).Encode(map[string]any{"issuer": says, "jwks_uri": i.URL + "/keys"})
		case "/keys":
			i.asked.Add(1)
			set := jose.JSONWebKeySet{Keys: []jose.JSONWebKey{{Key: []byte("a secret that is shared with everybody"),
				KeyID: "shared", Algorithm: "HS256"}}}
			for id, key := range i.keys {
				set.Keys = append(set.Keys, jose.JSONWebKey{Key: key.Public(), KeyID: id, Use: "sig"})
			}
			_ = json.NewEncoder(w).Encode(set)
		}
	}))
	t.Cleanup(i.Close)
	return i
}

func (i *issuer) now() time.Time { return time.Unix(0, i.clock.Load()) }

func (i *issuer) pass(d time.Duration) { i.clock.Add(int64(d)) }

func signer(t *testing.T, algorithm jose.SignatureAlgorithm) crypto.Signer {
	t.Helper()
	var key crypto.Signer
	var err error
	switch algorithm {
	case jose.EdDSA:
		_, key, err = ed25519.GenerateKey(rand.Reader)
	case jose.RS256:
		key, err = rsa.GenerateKey(rand.Reader, 2048)
	default:
		key, err = ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	}
	graphtest.OK(t, err)
	return key
}

func algorithmOf(key any) jose.SignatureAlgorithm {
	switch key.(type) {
	case *rsa.PrivateKey:
		return jose.RS256
	case ed25519.PrivateKey:
		return jose.EdDSA
	case []byte:
		return jose.HS256
	}
	return jose.ES256
}

// claims returns the claims of a valid token with changes; nil removes a claim.
func (i *issuer) claims(changed map[string]any) map[string]any {
	all := map[string]any{"iss": i.URL, "aud": audience, "sub": "ada", "exp": i.now().Add(time.Hour).Unix(),
		"iat": i.now().Unix(), "scope": "openid nomograph:read nomograph:decide read admin"}
	maps.Copy(all, changed)
	maps.DeleteFunc(all, func(_ string, value any) bool { return value == nil })
	return all
}

func (i *issuer) token(t *testing.T, changed map[string]any) string {
	t.Helper()
	return signed(t, i.keys[i.chosen], i.chosen, i.claims(changed))
}

func signed(t *testing.T, key any, id string, claims map[string]any) string {
	t.Helper()
	options := (&jose.SignerOptions{}).WithType("at+jwt")
	if id != "" {
		options = options.WithHeader("kid", id)
	}
	s := graphtest.Must(jose.NewSigner(jose.SigningKey{Algorithm: algorithmOf(key), Key: key}, options))(t)
	token := graphtest.Must(jwt.Signed(s).Claims(claims).Serialize())(t)
	return token
}

func (i *issuer) provider() *auth.Provider {
	return &auth.Provider{Issuer: i.URL, Audiences: []string{audience, "api://nomograph"}, NameClaim: "sub",
		PermissionsClaim: "scope", Prefix: "nomograph:",
		Now: i.now}
}

func (i *issuer) auth(t *testing.T, p *auth.Provider) *auth.Auth {
	t.Helper()
	a := graphtest.Must(auth.New(auth.Options{Address: "0.0.0.0:9991", Database: "neo4j", Provider: p,
		Static: []auth.Static{{Name: "emerson", Secret: "ey.emerson.0123456789"}}}))(t)
	return a
}

func TestProvider_Token_NamesTheCaller(t *testing.T) {
	i := newIssuer(t)
	for id, algorithm := range map[string]jose.SignatureAlgorithm{"two": jose.RS256, "three": jose.EdDSA} {
		i.keys[id] = signer(t, algorithm)
	}
	a := i.auth(t, i.provider())
	for _, i.chosen = range []string{"one", "two", "three"} {
		c, err := a.Authenticate(request(t, "Authorization", "Bearer "+i.token(t, nil)))
		if err != nil || c.Name != "ada" || !c.Authenticated || c.Trusted || !c.May(caller.Read) ||
			!c.May(caller.Decide) || c.May(caller.Admin) || c.May(caller.Review) || c.Limited() ||
			c.Until.Before(i.now()) || c.Until.After(i.now().Add(2*time.Hour)) {
			t.Errorf("%s: got %+v %v, want Name=ada, Authenticated=true, Trusted=false, c.May(caller.Read)=true, c.May(caller.Decide)=true, c.May(caller.Admin)=false, c.May(caller.Review)=false, c.Limited()=false, c.Until.Before(i.now())=false, c.Until.After(i.now().Add(2 * time.Hour))=false", i.chosen, c, err)
		}
	}
	graphtest.Equal(t, i.asked.Load(), 1, "times the keys were read")
	p := i.provider()
	p.NameClaim, p.PermissionsClaim, p.Prefix, p.ProjectsClaim = "preferred_username", "realm_access.roles", "",
		"https://example.org/projects"
	a = i.auth(t, p)
	changed := map[string]any{"aud": []string{"other", "api://nomograph"}, "preferred_username": " Grace ",
		"realm_access":                 map[string]any{"roles": []any{"review", "offline", 7}},
		"https://example.org/projects": []string{"Acme/Shop"}}
	if c, err := a.Authenticate(request(t, "Authorization", "Bearer "+i.token(t, changed))); err != nil ||
		c.Name != "Grace" || !c.May(caller.Review) || c.May(caller.Read) || !c.Sees("acme/shop") ||
		c.Sees("acme/bank") {
		t.Errorf(`got %+v %v, want Name=Grace, c.May(caller.Review)=true, c.May(caller.Read)=false, c.Sees("acme/shop")=true, c.Sees("acme/bank")=false`, c, err)
	}
	delete(changed, "https://example.org/projects")
	if c, err := a.Authenticate(request(t, "Authorization", "Bearer "+i.token(t, changed))); err != nil ||
		!c.Limited() || c.Sees("acme/shop") {
		t.Errorf("without the claim of projects: %+v %v", c, err)
	}
	graphtest.Equal(t, graphtest.Must(a.Authenticate(request(t, "Authorization",
		"Bearer ey.emerson.0123456789")))(t).Name, "emerson", "a configured token with the form of a JWT")
}

func TestProvider_InvalidToken_IsRefused(t *testing.T) {
	i := newIssuer(t)
	i.keys["rsa"] = signer(t, jose.RS256)
	weak, err := rsa.GenerateKey(rand.Reader, 1024) //nolint:gosec // a key that must be refused
	graphtest.OK(t, err)
	i.keys["weak"] = weak
	a := i.auth(t, i.provider())
	public := graphtest.Must(x509.MarshalPKIXPublicKey(i.keys["rsa"].Public()))(t)
	part := func(v any) string {
		text := graphtest.Must(json.Marshal(v))(t)
		return base64.RawURLEncoding.EncodeToString(text)
	}
	good := i.token(t, nil)
	parts := strings.Split(good, ".")
	for name, token := range map[string]string{
		"without a signature": part(map[string]any{"alg": "none", "typ": "JWT"}) + "." +
			part(i.claims(nil)) + ".",
		"none, and a signature": part(map[string]any{"alg": "None", "kid": "one"}) + "." +
			part(i.claims(nil)) + "." + parts[2],
		"the public key taken as a secret": signed(t, public, "rsa", i.claims(nil)),
		"a secret that the provider names": signed(t, []byte("a secret that is shared with everybody"), "shared",
			i.claims(nil)),
		"a weak key":               signed(t, weak, "weak", i.claims(nil)),
		"somebody's own key":       signed(t, signer(t, jose.ES256), "one", i.claims(nil)),
		"a key of another kind":    signed(t, i.keys["rsa"], "one", i.claims(nil)),
		"no key named, of several": signed(t, i.keys["one"], "", i.claims(nil)),
		"other claims": parts[0] + "." + part(i.claims(map[string]any{"sub": "root"})) + "." +
			parts[2],
		"cut":                          good[:len(good)-4],
		"another audience":             i.token(t, map[string]any{"aud": "https://other.example.org"}),
		"no audience":                  i.token(t, map[string]any{"aud": nil}),
		"a longer audience":            i.token(t, map[string]any{"aud": audience + "/x"}),
		"another issuer":               i.token(t, map[string]any{"iss": "https://elsewhere.example.org"}),
		"it has ended":                 i.token(t, map[string]any{"exp": i.now().Add(-time.Minute).Unix()}),
		"without an end":               i.token(t, map[string]any{"exp": nil}),
		"not yet":                      i.token(t, map[string]any{"nbf": i.now().Add(time.Minute).Unix()}),
		"made tomorrow":                i.token(t, map[string]any{"iat": i.now().Add(24 * time.Hour).Unix()}),
		"for nobody":                   i.token(t, map[string]any{"sub": nil}),
		"for a blank":                  i.token(t, map[string]any{"sub": " "}),
		"for a line":                   i.token(t, map[string]any{"sub": "a\u001b[2J"}),
		"for what does not show":       i.token(t, map[string]any{"sub": "emer\u200bson"}),
		"for letters that turn around": i.token(t, map[string]any{"sub": "\u202enosreme"}),
		"for wide letters":             i.token(t, map[string]any{"sub": "ｅｍｅｒｓｏｎ"}),
		"for a tag of a language":      i.token(t, map[string]any{"sub": "emerson\U000e0041"}),
		"for a number":                 i.token(t, map[string]any{"sub": 7}),
	} {
		r := request(t, "Authorization", "Bearer "+token)
		c, err := a.Authenticate(r)
		if !apperr.Is(err, apperr.Unauthenticated) || c.May(caller.Read) || c.Name != "" ||
			strings.Contains(err.Error(), token) {
			t.Errorf("%s: got %+v %v, want error %s, c.May(caller.Read)=false, empty Name, Error without %q", name, c,
				err, apperr.Unauthenticated, token)
		}
		graphtest.Contains(t, a.Challenge(r, err), `error="invalid_token"`,
			`resource_metadata="http://localhost/.well-known/oauth-protected-resource/mcp"`)
	}
	if c, err := a.Authenticate(request(t, "Authorization", "Bearer "+
		i.token(t, map[string]any{"scope": "openid nomograph:root"}))); err != nil || len(c.Permissions) != 0 {
		t.Errorf("with no permission: %+v %v", c, err)
	}
}

func TestProvider_UnknownKeys_AreNotForwarded(t *testing.T) {
	i := newIssuer(t)
	a := i.auth(t, i.provider())
	authenticate := func(token string) error {
		_, err := a.Authenticate(request(t, "Authorization", "Bearer "+token))
		return err
	}
	for n := range 200 {
		if err := authenticate(signed(t, i.keys["one"], fmt.Sprint("unknown ", n), i.claims(nil))); !apperr.Is(err,
			apperr.Unauthenticated) {
			t.Fatal(err)
		}
	}
	graphtest.Equal(t, i.asked.Load(), 1, "times the keys were read")
	// The provider rotates its key. The new key is known after ten seconds.
	i.keys["new"], i.chosen = signer(t, jose.ES256), "new"
	if err := authenticate(i.token(t, nil)); !apperr.Is(err, apperr.Unauthenticated) {
		t.Errorf("before the keys are refreshed: got %v, want error %s", err, apperr.Unauthenticated)
	}
	i.pass(11 * time.Second)
	if err := authenticate(i.token(t, nil)); err != nil || i.asked.Load() != 2 {
		t.Errorf("%v, read %d times", err, i.asked.Load())
	}
}

func TestProvider_NoKeys_RefusesEveryToken(t *testing.T) {
	i := newIssuer(t)
	i.away.Store(true)
	a := i.auth(t, i.provider())
	authenticate := func() error {
		_, err := a.Authenticate(request(t, "Authorization", "Bearer "+i.token(t, nil)))
		return err
	}
	if err := authenticate(); !apperr.Is(err, apperr.Unavailable) {
		t.Errorf("unavailable from the start: got %v, want error %s", err, apperr.Unavailable)
	}
	i.away.Store(false)
	if err := authenticate(); !apperr.Is(err, apperr.Unavailable) {
		t.Errorf("the provider was asked again too early: %v", err)
	}
	i.pass(11 * time.Second)
	if err := authenticate(); err != nil {
		t.Errorf("the provider is available again: got %v, want no error", err)
	}
	i.away.Store(true)
	i.pass(59 * time.Minute)
	if err := authenticate(); err != nil {
		t.Errorf("the cached keys are rejected: %v", err)
	}
	i.pass(2 * time.Minute)
	if err := authenticate(); !apperr.Is(err, apperr.Unavailable) {
		t.Errorf("after the keys expired: got %v, want error %s", err, apperr.Unavailable)
	}
	i.away.Store(false)
	delete(i.keys, "one")
	i.keys["two"] = signer(t, jose.ES256)
	i.pass(11 * time.Second)
	i.chosen = "two"
	if err := authenticate(); err != nil {
		t.Errorf("with another key: %v", err)
	}
	i.says = "https://elsewhere.example.org"
	other := i.auth(t, i.provider())
	if _, err := other.Authenticate(request(t, "Authorization", "Bearer "+i.token(t, nil))); !apperr.Is(err,
		apperr.Unavailable) {
		t.Errorf("a provider with another issuer: got %v, want error %s", err, apperr.Unavailable)
	}
}

func TestProvider_InvalidSettings_AreRefused(t *testing.T) {
	for name, p := range map[string]auth.Provider{
		"no audience":     {Issuer: "https://login.example.org"},
		"plain HTTP":      {Issuer: "http://login.example.org", Audiences: []string{audience}},
		"no address":      {Issuer: "login.example.org", Audiences: []string{audience}},
		"with a password": {Issuer: "https://a:b@login.example.org", Audiences: []string{audience}},
	} {
		if _, err := auth.New(auth.Options{Address: "127.0.0.1:1", Provider: &p}); !apperr.Is(err, apperr.Validation) {
			t.Errorf("%s: got %v, want %s", name, err, apperr.Validation)
		}
	}
	p := auth.Provider{Issuer: "https://login.example.org", Audiences: []string{audience}}
	a := graphtest.Must(auth.New(auth.Options{Address: "127.0.0.1:1", Provider: &p}))(t)
	if c, err := a.Authenticate(request(t)); !apperr.Is(err, apperr.Unauthenticated) {
		t.Errorf("on loopback with a provider: %+v %v", c, err)
	}
}

func TestOIDC_ResourceMetadata_IsServed(t *testing.T) {
	i := newIssuer(t)
	a := i.auth(t, i.provider())
	s := server.New(server.Options{Address: "127.0.0.1:0", Hosts: []string{"nomograph.example.org"},
		Authenticate: a.Authenticate, Challenge: a.Challenge, Log: zerolog.Nop()})
	a.Serve(s)
	s.Handle("/mcp", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		server.Refuse(w, r, apperr.New(apperr.PermissionDenied, "no").With("needs", caller.Review))
	}))
	ask := func(path, token string) (int, string, map[string]any) {
		t.Helper()
		w := httptest.NewRecorder()
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, nil)
		r.Host = "nomograph.example.org"
		r.Header.Set("X-Forwarded-Proto", "https")
		if token != "" {
			r.Header.Set("Authorization", "Bearer "+token)
		}
		s.Handler().ServeHTTP(w, r)
		var metadata map[string]any
		_ = json.Unmarshal(w.Body.Bytes(), &metadata)
		return w.Code, w.Header().Get("WWW-Authenticate"), metadata
	}
	for path, resource := range map[string]string{"": audience, "/mcp": audience} {
		status, _, metadata := ask("/.well-known/oauth-protected-resource"+path, "")
		if status != http.StatusOK || metadata["resource"] != resource ||
			fmt.Sprint(metadata["authorization_servers"]) != "["+i.URL+"]" ||
			!strings.Contains(fmt.Sprint(metadata["scopes_supported"]), "nomograph:read nomograph:decide") {
			t.Errorf(`%s: got %d %v, want status=%v, resource=%v, authorization_servers=%v, scopes_supported with "nomograph:read nomograph:decide"`, path, status, metadata, http.StatusOK, resource, "["+i.URL+"]")
		}
	}
	const where = `resource_metadata="https://nomograph.example.org/.well-known/oauth-protected-resource/mcp"`
	if status, challenge, _ := ask("/mcp", ""); status != 401 ||
		challenge != `Bearer realm="nomograph", scope="nomograph:read", `+where {
		t.Errorf("got %d %s, want status=401, challenge=%v", status, challenge,
			`Bearer realm="nomograph", scope="nomograph:read", `+where)
	}
	if status, challenge, _ := ask("/mcp", i.token(t, nil)); status != 403 ||
		challenge != `Bearer realm="nomograph", error="insufficient_scope", scope="nomograph:review", `+where {
		t.Errorf("got %d %s, want status=403, challenge=%v", status, challenge,
			`Bearer realm="nomograph", error="insufficient_scope", scope="nomograph:review", `+where)
	}
	if status, challenge, _ := ask("/mcp", "ey.emerson.0123456789"); status != 403 || challenge != "" {
		t.Errorf("a configured token: got %d %s, want status=403, empty challenge", status, challenge)
	}
}

func TestProvider_ExpiredToken_EndsTheStream(t *testing.T) {
	ctx, end := server.LongLived(caller.With(t.Context(), caller.Caller{Until: time.Now().Add(-time.Second)}))
	defer end()
	<-ctx.Done()
	going, stop := server.LongLived(caller.With(context.Background(), caller.Caller{Until: time.Now().Add(time.Hour)}))
	if going.Err() != nil {
		t.Error(going.Err())
	}
	stop()
}

// TestProvider_NameOfALocalToken_IsRefused: a provider's caller must not have the name of a token of this server.
func TestProvider_NameOfALocalToken_IsRefused(t *testing.T) {
	g := graphtest.New(t)
	i := newIssuer(t)
	store := tokens.NewStore(g.DB)
	graphtest.Must(store.Create(t.Context(), tokens.CreateRequest{Name: "Grace"}))(t)
	counts := tokens.NewUsageCounter(store, zerolog.Nop())
	register := tokens.NewRegistry(store, counts, zerolog.Nop())
	a := graphtest.Must(auth.New(auth.Options{Address: "0.0.0.0:9991", Database: "neo4j", Provider: i.provider(),
		Static: []auth.Static{{Name: "emerson", Secret: "a-secret-of-emerson"}}, Register: register,
		Counts: counts}))(t)
	authenticate := func(name string) error {
		_, err := a.Authenticate(request(t, "Authorization", "Bearer "+i.token(t, map[string]any{"sub": name})))
		return err
	}
	toolstest.ErrorWithCode(t, authenticate("ada"),
		apperr.Unavailable) // the database cannot tell whether a token has the name
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	go register.Follow(ctx)
	for apperr.Is(authenticate("ada"), apperr.Unavailable) {
		runtime.Gosched()
	}
	if err := authenticate("ada"); err != nil {
		t.Error(err)
	}
	for _, name := range []string{"emerson", "EMERSON", "grace", " GRACE "} {
		toolstest.ErrorWithCode(t, authenticate(name), apperr.PermissionDenied)
	}
}
