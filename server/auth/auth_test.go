package auth_test

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rs/zerolog"

	"nomograph/graph/graphtest"
	"nomograph/internal/apperr"
	"nomograph/internal/caller"
	"nomograph/server/auth"
	"nomograph/tokens"
)

func request(t *testing.T, headers ...string) *http.Request {
	t.Helper()
	r := graphtest.Must(http.NewRequestWithContext(t.Context(), http.MethodPost, "http://localhost/mcp", nil))(t)
	for i := 0; i < len(headers); i += 2 {
		r.Header.Add(headers[i], headers[i+1])
	}
	return r
}

func TestAuth_BeyondLoopback_RequiresAToken(t *testing.T) {
	for address, open := range map[string]bool{"127.0.0.1:9991": true, "localhost:9991": true, "[::1]:9991": true,
		":9991": false, "0.0.0.0:9991": false, "[::]:9991": false, "192.0.2.1:80": false, "example.org:80": false} {
		_, err := auth.New(auth.Options{Address: address})
		if (err == nil) != open || err != nil && (!apperr.Is(err, apperr.Validation) ||
			!strings.Contains(err.Error(), "--auth")) {
			t.Errorf(`%s: got %v, want (err == nil)=%v, not err != nil && (!apperr.Is(err, apperr.Validation) || !strings.Contains(err.Error(), "--auth"))`, address, err, open)
		}
		if _, err := auth.New(auth.Options{Address: address, Required: true}); err != nil {
			t.Errorf("%s with --auth: %v", address, err)
		}
	}
}

func TestAuth_Token_NamesTheCaller(t *testing.T) {
	g := graphtest.New(t)
	store := tokens.NewStore(g.DB)
	made := graphtest.Must(store.Create(t.Context(), tokens.CreateRequest{Name: "ada", Permissions: []string{"review"},
		Rate: 0.001}))(t)
	counts := tokens.NewUsageCounter(store, zerolog.Nop())
	static := []auth.Static{{Name: "emerson", Secret: "a-secret-of-emerson",
		Permissions: []caller.Permission{caller.Read}, Projects: []string{"Acme/Shop"}}}
	static = append(static, auth.Static{Name: "bob", Secret: "a-secret-of-bob", Databases: []string{"other"}},
		auth.Static{Name: "cleo", Secret: "a-secret-of-cleo", Databases: []string{"other", "neo4j"}})
	o := auth.Options{Address: "127.0.0.1:1", Database: "neo4j",
		Register: tokens.NewRegistry(store, counts, zerolog.Nop()), Counts: counts}
	open := graphtest.Must(auth.New(o))(t)
	o.Static = static
	shut := graphtest.Must(auth.New(o))(t)

	if c, err := open.Authenticate(request(t)); err != nil || !c.Trusted || c.Authenticated {
		t.Errorf("on loopback without anything: %+v %v", c, err)
	}
	if c, err := open.Authenticate(request(t, "Authorization", "Bearer nmg_wrong")); !apperr.Is(err,
		apperr.Unauthenticated) {
		t.Errorf("a wrong token without required authentication: %+v %v", c, err)
	}
	for _, headers := range [][]string{nil, {"Authorization", "Bearer "}, {"Authorization", "Basic YTpi"},
		{"Authorization", "Bearer a-secret-of-emersom"}, {"X-API-Key", ""},
		{"Authorization", "Bearer a-secret-of-emerson", "X-API-Key", "other"},
		{"Authorization", "Bearer a-secret-of-emerson", "Authorization", "Bearer x"},
		{"X-API-Key", strings.Repeat("x", 20<<10)}, {"X-API-Key", tokens.Hash(made.Token)}} {
		r := request(t, headers...)
		c, err := shut.Authenticate(r)
		if !apperr.Is(err, apperr.Unauthenticated) || c.Trusted || c.May(caller.Read) {
			t.Errorf("%.60v: got %+v %v, want error %s, Trusted=false, c.May(caller.Read)=false", headers, c, err,
				apperr.Unauthenticated)
		}
		if challenge := shut.Challenge(r, err); !strings.HasPrefix(challenge, "Bearer ") ||
			strings.Contains(challenge, "invalid_token") != (len(headers) > 0 && headers[1] != "") {
			t.Errorf(`%.60v: got %s, want challenge that starts with "Bearer ", strings.Contains(challenge, "invalid_token")=%v`, headers, challenge, (len(headers) > 0 && headers[1] != ""))
		}
	}
	for _, headers := range [][]string{{"Authorization", "Bearer a-secret-of-emerson"},
		{"authorization", "bearer  a-secret-of-emerson "}, {"X-API-Key", "a-secret-of-emerson"},
		{"Authorization", "Bearer a-secret-of-emerson", "X-API-Key", "a-secret-of-emerson"}} {
		if c, err := shut.Authenticate(request(t, headers...)); err != nil || c.Name != "emerson" || !c.Authenticated ||
			c.Trusted || !c.May(caller.Read) || c.May(caller.Decide) || !c.Sees("acme/shop") || c.Sees("x") {
			t.Errorf(`%v: got %+v %v, want Name=emerson, Authenticated=true, Trusted=false, c.May(caller.Read)=true, c.May(caller.Decide)=false, c.Sees("acme/shop")=true, c.Sees("x")=false`, headers, c, err)
		}
	}
	if c, err := shut.Authenticate(request(t, "X-API-Key", "a-secret-of-bob")); !apperr.Is(err,
		apperr.PermissionDenied) || c.Name != "" {
		t.Errorf("a token for another database: %+v %v", c, err)
	}
	graphtest.Equal(t, graphtest.Must(shut.Authenticate(request(t, "X-API-Key", "a-secret-of-cleo")))(t).Name, "cleo",
		"a token for this database too")

	if c, err := shut.Authenticate(request(t, "X-API-Key", made.Token)); err != nil || c.Name != "ada" ||
		!c.May(caller.Review) || c.May(caller.Read) {
		t.Errorf("got %+v %v, want Name=ada, c.May(caller.Review)=true, c.May(caller.Read)=false", c, err)
	}
	if _, err := shut.Authenticate(request(t, "X-API-Key", made.Token)); !apperr.Is(err, apperr.RateLimited) {
		t.Errorf("calls above the rate: got %v, want error %s", err, apperr.RateLimited)
	}
	if _, err := auth.New(auth.Options{Address: "127.0.0.1:1", Static: append(static, static[0])}); !apperr.Is(err,
		apperr.Validation) {
		t.Errorf("one token for two names: %v", err)
	}
}

// TestTokensFile_FormatOfCSTP_IsRead reads the unchanged file of the CSTP design.
func TestTokensFile_FormatOfCSTP_IsRead(t *testing.T) {
	t.Setenv("CSTP_TOKEN_EMERSON", "emerson-0123456789")
	t.Setenv("CSTP_TOKEN_CLAUDE", "claude-0123456789")
	path := filepath.Join(t.TempDir(), "config.yaml")
	read := func(text string) ([]auth.Static, error) {
		graphtest.OK(t, os.WriteFile(path, []byte(text), 0o600))
		return auth.FromFile(t.Context(), path)
	}
	const designed = `server:
  host: "0.0.0.0"
  port: 8100
  cors_origins: ["*"]

auth:
  enabled: true
  tokens:
    - name: "emerson"
      token: "${CSTP_TOKEN_EMERSON}"
    - name: "claude-ops"
      token: "${CSTP_TOKEN_CLAUDE}"
      permissions: [read, announce]
      projects: [acme/shop]

cstp:
  query:
    max_results: 50
`
	got, err := read(designed)
	if err != nil || len(got) != 2 || got[0].Name != "emerson" || got[0].Secret != "emerson-0123456789" ||
		len(got[0].Permissions) != 1 || got[0].Permissions[0] != caller.Federate ||
		len(got[1].Permissions) != 2 || len(got[1].Projects) != 1 {
		t.Fatalf("got %+v %v, want len(got)=2, Name=emerson, Secret=emerson-0123456789, len(got[0].Permissions)=1, got[0].Permissions[0]=%v, len(got[1].Permissions)=2, len(Projects)=1", got, err, caller.Federate)
	}
	if ours, err := read(strings.Split(designed, "cstp:")[0]); err != nil || len(ours) != 2 ||
		ours[0].Permissions[0] != caller.Read {
		t.Errorf("without a section cstp: %+v %v", ours, err)
	}
	if off, err := read(strings.Replace(designed, "enabled: true", "enabled: false", 1)); err != nil || len(off) != 0 {
		t.Errorf("got %+v %v, want length 0", off, err)
	}
	for name, text := range map[string]string{
		"a variable that is not set": "auth: {tokens: [{name: a, token: '${NOT_SET_ANYWHERE}'}]}",
		"a short token":              "auth: {tokens: [{name: a, token: secret}]}",
		"no name":                    "auth: {tokens: [{token: '${CSTP_TOKEN_CLAUDE}'}]}",
		"no list":                    "auth: {enabled: true}",
		"a key that there is not":    "auth: {tokens: [{name: a, token: '${CSTP_TOKEN_CLAUDE}', permision: [admin]}]}",
		"unknown permission":         "auth: {tokens: [{name: a, token: '${CSTP_TOKEN_CLAUDE}', permissions: [write]}]}",
		"no list of projects":        "auth: {tokens: [{name: a, token: '${CSTP_TOKEN_CLAUDE}', projects: acme/shop}]}",
		"no YAML":                    "auth: [",
	} {
		got, err := read(text)
		if !apperr.Is(err, apperr.Validation) || strings.Contains(err.Error(), "claude-0123456789") || len(got) > 0 {
			t.Errorf("%s: got %+v %v, want %s, error without claude-0123456789, no token", name, got, err,
				apperr.Validation)
		}
	}
	if _, err := auth.FromFile(t.Context(), path+"none"); !apperr.Is(err, apperr.Validation) {
		t.Errorf("no file: %v", err)
	}

	listed, err := auth.FromEnvironment(" emerson:emerson-0123456789 , claude-ops:claude-0123456789,")
	if err != nil || len(listed) != 2 || listed[1].Name != "claude-ops" || len(listed[1].Permissions) != 4 {
		t.Errorf("got %+v %v, want len(listed)=2, Name=claude-ops, len(Permissions)=4", listed, err)
	}
	for _, text := range []string{"emerson", "emerson:short", ":emerson-0123456789"} {
		if _, err := auth.FromEnvironment(text); !apperr.Is(err, apperr.Validation) ||
			strings.Contains(err.Error(), "0123456789") {
			t.Errorf("%s: got %v, want %s, error without 0123456789", text, err, apperr.Validation)
		}
	}
}
