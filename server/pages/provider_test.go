package pages_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"
	"github.com/rs/zerolog"

	"nomograph/graph/graphtest"
	"nomograph/server"
	"nomograph/server/auth"
	"nomograph/server/pages"
	"nomograph/tokens"
	"nomograph/tools"
	"nomograph/tools/toolstest"
)

// openID starts a provider on a different site. It signs everyone in as ada.
func openID(t *testing.T, audience string) string {
	t.Helper()
	key := graphtest.Must(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))(t)
	sign := graphtest.Must(jose.NewSigner(jose.SigningKey{Algorithm: jose.ES256, Key: key}, (&jose.SignerOptions{}).
		WithHeader("kid", "one")))(t)
	issuer, challenge := "", ""
	answer := func(w http.ResponseWriter, value any) {
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(value)
	}
	provider := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/keys":
			answer(w, jose.JSONWebKeySet{Keys: []jose.JSONWebKey{{Key: key.Public(), KeyID: "one"}}})
		case "/sign":
			query := r.URL.Query()
			if challenge = query.Get("code_challenge"); query.Get("client_id") != "nomograph-pages" ||
				!strings.Contains(query.Get("scope"), "nomograph:read") || challenge == "" {
				t.Errorf(`the provider got %v, want client_id=nomograph-pages, scope with "nomograph:read", non-empty challenge`, query)
			}
			back := url.Values{"code": {"secret-code"}, "state": {query.Get("state")}}
			http.Redirect(w, r, query.Get("redirect_uri")+"?"+back.Encode(), http.StatusSeeOther)
		case "/token":
			sum := sha256.Sum256([]byte(r.FormValue("code_verifier")))
			if r.FormValue("code") != "secret-code" || base64.RawURLEncoding.EncodeToString(sum[:]) != challenge {
				w.WriteHeader(http.StatusBadRequest)
				answer(w, map[string]string{"error": "invalid_grant"})
				return
			}
			token, err := jwt.Signed(sign).Claims(map[string]any{"iss": issuer, "aud": audience, "sub": "ada",
				"scope": "nomograph:read", "exp": time.Now().Add(time.Hour).Unix()}).Serialize()
			if err != nil {
				t.Error(err)
			}
			answer(w, map[string]any{"access_token": token, "token_type": "Bearer"})
		default:
			answer(w, map[string]string{"issuer": issuer, "jwks_uri": issuer + "/keys",
				"authorization_endpoint": issuer + "/sign", "token_endpoint": issuer + "/token"})
		}
	}))
	t.Cleanup(provider.Close)
	issuer = strings.Replace(provider.URL, "127.0.0.1", "localhost", 1)
	return issuer
}

func TestSignIn_Provider_IsAccepted(t *testing.T) {
	g := graphtest.New(t)
	env := toolstest.App(t, g.DB)
	const audience = "https://nomograph.example.org/mcp"
	callers := graphtest.Must(auth.New(auth.Options{Address: "127.0.0.1:0", Required: true,
		Provider: &auth.Provider{Issuer: openID(t, audience), Audiences: []string{audience}, NameClaim: "sub",
			PermissionsClaim: "scope", Prefix: "nomograph:", ClientID: "nomograph-pages"}}))(t)
	h := server.New(server.Options{Address: "127.0.0.1:0", Log: zerolog.Nop(), Authenticate: callers.Authenticate})
	pages.New(env.Runner(), pages.Options{Operations: tools.Catalog, Authenticate: callers.Authenticate,
		Sessions: tokens.NewRegistry(env.Tokens, tokens.NewUsageCounter(env.Tokens, zerolog.Nop()), zerolog.Nop()),
		Provider: callers, Log: zerolog.Nop()}).Serve(h)
	served := httptest.NewServer(h.Handler())
	t.Cleanup(served.Close)
	s := &site{graph: g, env: env, url: served.URL}

	s.answers(t, "/signin/callback?code=secret-code&state=x", 403)
	b := s.stranger(t)
	b.to("/graph?depth=1")
	b.follow("#provider")
	b.until(`document.querySelector(".who")?.innerText.includes("Sign out")`)
	if at := eval[string](b, "location.pathname + location.search"); at != "/graph?depth=1" ||
		!strings.Contains(b.text(".who"), "ada") {
		t.Errorf("after the sign-in: got the page %s as %s", at, b.text(".who"))
	}
}
