package main_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"

	"nomograph/graph/graphtest"
)

// TestServe_TokenOfProvider_IsAccepted asks the program with a token of an OpenID provider, over MCP and REST.
func TestServe_TokenOfProvider_IsAccepted(t *testing.T) {
	key := graphtest.Must(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))(t)
	var provider *httptest.Server
	provider = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/keys" {
			_ = json.NewEncoder(w).Encode(jose.JSONWebKeySet{Keys: []jose.JSONWebKey{{Key: key.Public(),
				KeyID: "one"}}})
			return
		}
		_ = json.NewEncoder(w).Encode(map[string]string{"issuer": provider.URL, "jwks_uri": provider.URL + "/keys"})
	}))
	defer provider.Close()
	sign := graphtest.Must(jose.NewSigner(jose.SigningKey{Algorithm: jose.ES256, Key: key}, (&jose.SignerOptions{}).
		WithHeader("kid", "one")))(t)
	token := graphtest.Must(jwt.Signed(sign).Claims(map[string]any{"iss": provider.URL,
		"aud": "https://nomograph.example.org/mcp", "sub": "ada", "scope": "nomograph:read",
		"exp": time.Now().Add(time.Hour).Unix(), "projects": []string{"acme/shop"}}).Serialize())(t)
	g := withPacks(t)
	url, _ := atAddress(t, append(g.Environ(t), "NOMOGRAPH_OIDC_PROJECTS_CLAIM=projects"), "--oidc-issuer",
		provider.URL, "--oidc-audience", "https://nomograph.example.org/mcp")
	base := strings.TrimSuffix(url, "/mcp")
	ask := func(method, path, body, token string) (int, string, string) {
		t.Helper()
		headers := []string{"Content-Type", "application/json", "Accept", "application/json, text/event-stream"}
		if token != "" {
			headers = append(headers, "Authorization", "Bearer "+token)
		}
		status, header, text := graphtest.Send(t, http.DefaultClient, method, base+path, body, headers...)
		return status, header.Get("WWW-Authenticate"), text
	}
	call := func(tool, arguments string) string {
		return `{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "` + tool + `", "arguments": ` +
			arguments + `}}`
	}
	for name, tt := range map[string]struct {
		method, path, body, token string
		status                    int
		challenge, says           string
	}{
		"nobody": {"POST", "/mcp", call("get_policy", `{"name": "NoTemporalFacet"}`), "", 401,
			`resource_metadata="` + base + `/.well-known/oauth-protected-resource/mcp"`, "unauthenticated"},
		"its right": {"POST", "/mcp", call("get_policy", `{"name": "NoTemporalFacet"}`), token, 200, "",
			"TEMPORAL"},
		"no right over MCP": {"POST", "/mcp", call("log_decision", `{"decision": "x"}`), token, 403,
			`error="insufficient_scope", scope="nomograph:decide"`, "permission_denied"},
		"REST": {"GET", "/api/v1/thresholds/claim_promotion_confidence", "", token, 200, "", "0.9"},
		"no right by REST": {"PUT", "/api/v1/thresholds/claim_promotion_confidence", `{"value": 0.1, "reason": "x"}`,
			token, 403, `scope="nomograph:govern"`, "permission_denied"},
		"another project": {"POST", "/api/v1/checks", `{"description": "x", "project": "acme/bank"}`, token, 403, "",
			`"allowed":false`},
		"the resource": {"GET", "/.well-known/oauth-protected-resource/mcp", "", "", 200, "", provider.URL},
	} {
		status, challenge, text := ask(tt.method, tt.path, tt.body, tt.token)
		if status != tt.status || !strings.Contains(challenge, tt.challenge) || tt.challenge == "" && challenge != "" ||
			!strings.Contains(text, tt.says) {
			t.Errorf("%s: got %d %s %s, want %d %s %s", name, status, challenge, text, tt.status, tt.challenge, tt.says)
		}
	}
	session(t, append(graphtest.BareEnviron(t), "NOMOGRAPH_URL="+url, "NOMOGRAPH_TOKEN="+token),
		"$ policy check Deploy --field agent_id\n= ada")
}
