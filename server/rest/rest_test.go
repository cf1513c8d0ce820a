package rest_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	"github.com/rs/zerolog"

	"nomograph/graph/graphtest"
	"nomograph/internal/apperr"
	"nomograph/internal/caller"
	"nomograph/internal/golden"
	"nomograph/server"
	"nomograph/server/rest"
	"nomograph/tools"
	"nomograph/tools/toolstest"
)

// callers maps tokens to callers.
var callers = map[string]caller.Caller{
	"ada":    {Name: "ada", Authenticated: true, Permissions: []caller.Permission{caller.Admin}},
	"open":   {Trusted: true},
	"reader": {Name: "reader", Authenticated: true, Permissions: []caller.Permission{caller.Read}},
}

// endpoint is the REST transport in a whole HTTP server, on a graph.
type endpoint struct {
	*httptest.Server
	t     *testing.T
	token string
}

func open(t *testing.T) (*graphtest.Graph, *endpoint) {
	t.Helper()
	g, env := toolstest.Open(t)
	return g, serve(t, env)
}

func serve(t *testing.T, env *tools.App) *endpoint {
	t.Helper()
	operations, problems := tools.Operations("")
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	s := server.New(server.Options{Address: "127.0.0.1:0", Log: zerolog.New(zerolog.NewTestWriter(t)).
		Level(zerolog.ErrorLevel), Authenticate: func(r *http.Request) (caller.Caller, error) {
		who, ok := callers[strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")]
		if !ok {
			return who, apperr.New(apperr.Unauthenticated, "The request has no token")
		}
		return who, nil
	}})
	runner := tools.Runner{} // without a graph
	if env != nil {
		runner = env.Runner()
	}
	rest.New(runner, rest.Options{Version: "test", Operations: operations}).Serve(s)
	d := &endpoint{httptest.NewServer(s.Handler()), t, "ada"}
	t.Cleanup(d.Close)
	return d
}

func (d *endpoint) as(token string) *endpoint { return &endpoint{d.Server, d.t, token} }

// reply is a response with its body.
type reply struct {
	status int
	header http.Header
	text   string
	body   map[string]any
}

func (d *endpoint) send(method, path, body string, headers ...string) reply {
	d.t.Helper()
	r := graphtest.Must(http.NewRequestWithContext(d.t.Context(), method, d.URL+path, strings.NewReader(body)))(d.t)
	r.Header.Set("Authorization", "Bearer "+d.token)
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	answer, err := http.DefaultTransport.RoundTrip(r)
	graphtest.OK(d.t, err)
	defer answer.Body.Close()
	text := graphtest.Must(io.ReadAll(answer.Body))(d.t)
	out := reply{status: answer.StatusCode, header: answer.Header, text: string(text)}
	_ = json.Unmarshal(text, &out.body) // some responses have no body
	return out
}

// wants sends a request and fails the test unless it has the expected status.
func (d *endpoint) wants(status int, method, path, body string, headers ...string) reply {
	d.t.Helper()
	out := d.send(method, path, body, headers...)
	if out.status != status {
		d.t.Errorf("%s %s %s: got %d, want %d: %s", method, path, body, out.status, status, out.text)
	}
	if problem := out.header.Get("Content-Type") == "application/problem+json"; problem != (status >= 400) {
		d.t.Errorf("%s %s is answered as %s", method, path, out.header.Get("Content-Type"))
	}
	return out
}

func TestREST_Operations_AreResources(t *testing.T) {
	g, d := open(t)
	toolstest.ApplyShipped(t, g, "core")
	if got := d.wants(200, "GET", "/api/v1/thresholds/high_stakes_min_confidence", ""); got.body["value"] != 0.5 ||
		got.header.Get("Content-Type") != "application/json" {
		t.Error(got.text)
	}
	graphtest.Equal(t, d.wants(200, "PUT", "/api/v1/thresholds/high_stakes_min_confidence",
		`{"value": 0.6, "reason": "reviewed"}`).body["to"], 0.6, "the value")

	graphtest.Equal(t, d.wants(200, "GET", "/api/v1/thresholds/none?default=7", "").body["value"], 7.0,
		"a number in the query")

	graphtest.Equal(t, d.wants(200, "GET", "/api/v1/thresholds/none?default=%227%22",
		"").body["value"], "7", "a text in the query")

	for _, list := range []string{"names=error_rate_max,review_approvals_min",
		"names=error_rate_max&names=review_approvals_min"} {
		graphtest.Equal(t, d.wants(200, "GET", "/api/v1/thresholds?"+list, "").body["total"], 2.0, list)
	}
	if got := d.wants(200, "GET", "/api/v1/policies?active=true&limit=1", ""); len(got.body["policies"].([]any)) != 1 {
		t.Error(got.text)
	}
	made := d.wants(200, "POST", "/api/v1/decisions",
		`{"decision": "Use a table", "category": "process", "confidence": 0.9}`)
	id, _ := made.body["id"].(string)
	other, _ := d.wants(200, "POST", "/api/v1/decisions",
		`{"decision": "Use a queue", "category": "process", "confidence": 0.9}`).body["id"].(string)
	graphtest.Equal(t, d.wants(200, "PATCH", "/api/v1/decisions/"+id, `{"tags": ["queue"]}`).body["success"], true,
		"success")

	graphtest.Equal(t, d.wants(200, "GET", "/api/v1/decisions/"+id, "").body["found"], true, "found")
	graphtest.Equal(t, d.wants(200, "GET", "/api/v1/decisions?category=process&tags=queue", "").body["total"], 1.0,
		"total")

	d.wants(200, "POST", "/api/v1/links", `{"source_id": "`+id+`", "target_id": "`+other+
		`", "edge_type": "supersedes"}`)
	d.wants(200, "GET", "/api/v1/graph/"+id+"/neighbors", "")
	d.wants(200, "DELETE", "/api/v1/links?source_id="+id+"&target_id="+other+"&edge_type=supersedes&reason=mistaken",
		"")
	d.wants(200, "GET", "/api/v1/stats/reasons?filters%5Bcategory%5D=process", "")
	d.wants(200, "GET", "/api/v1/queries/unused_thresholds", "")
	graphtest.Equal(t, d.wants(200, "POST", "/api/v1/tools/get_threshold",
		`{"name": "error_rate_max"}`).body["value"], 0.01, "a call by name")
}

func TestREST_DenialAndFailedCheck_AnswerDenied(t *testing.T) {
	g, d := open(t)
	toolstest.ApplyShipped(t, g, "core")
	if got := d.wants(200, "POST", "/api/v1/checks",
		`{"description": "Deploy", "stakes": "high", "confidence": 0.1}`); got.body["allowed"] != false ||
		len(got.body["violations"].([]any)) == 0 {
		t.Error(got.text)
	}
	for _, bad := range []string{`{}`, `{`, `[]`, `"x"`, `null`, `{"description": "a", "description": "b"}`,
		`{"description": "a", "nonsense": 1}`} {
		if got := d.wants(400, "POST", "/api/v1/checks", bad); got.body["allowed"] != false ||
			got.body["error"] != "validation_error" || got.body["message"] == "" || got.body["hint"] == "" ||
			got.body["id"] == "" {
			t.Errorf("%s: got %s, want allowed=false, error=validation_error, non-empty message, non-empty hint, non-empty id", bad, got.text)
		}
	}
	graphtest.Equal(t, d.wants(415, "POST", "/api/v1/checks", `{}`, "Content-Type",
		"text/plain").body["allowed"], false, "allowed")

	away := serve(t, toolstest.App(t, toolstest.Unavailable(t)))
	for path, checks := range map[string]bool{"/api/v1/checks": true, "/api/v1/tools/check_action": true,
		"/api/v1/decisions/prepare": true, "/api/v1/links": false} {
		graphtest.Equal(t, (d.as("nobody").wants(401, "POST", path,
			`{"description": "Deploy"}`).body["allowed"] == false), checks, path+", without authentication")
	}
	if got := away.wants(503, "POST", "/api/v1/checks", `{"description": "Deploy"}`); got.body["allowed"] != false ||
		got.body["error"] != "unavailable" {
		t.Error(got.text)
	}
	if got := away.wants(503, "GET", "/api/v1/thresholds/any?default=1", ""); got.body["value"] != nil {
		t.Errorf("got the default of an unavailable database: %s", got.text)
	}
}

func TestREST_Errors_AreProblems(t *testing.T) {
	g, d := open(t)
	g.Exec(t, "CREATE (:SYS_Threshold {name: 'twice', value: 1}), (:SYS_Threshold {name: 'twice', value: 2}), (:SYS_Threshold {name: 'a/b', value: 3})", nil)
	d.wants(400, "POST", "/api/v1/verdicts/prune", "null")
	long := []string{"413", "POST /api/v1/checks", "longer than 8 MB", "", `{"description": "` +
		strings.Repeat("x", 9<<20) + `"}`}
	for _, row := range append(golden.Columns(t, "testdata/refused.txt", 5), long) {
		status := graphtest.Must(strconv.Atoi(row[0]))(t)
		method, path, _ := strings.Cut(row[1], " ")
		var headers []string
		if name, value, has := strings.Cut(row[3], ": "); has {
			headers = []string{name, value}
		}
		got := d.wants(status, method, path, row[4], headers...)
		message, _ := got.body["message"].(string)
		if !strings.Contains(message, row[2]) || got.body["detail"] != message ||
			got.body["status"] != float64(status) || got.body["hint"] == "" {
			t.Errorf("%s %s: got %s, want %q", method, path, got.text, row[2])
		}
		if status == 405 && got.header.Get("Allow") == "" {
			t.Errorf("%s %s does not say what it allows", method, path)
		}
	}
	d.as("nobody").wants(401, "GET", "/api/v1/thresholds", "")
	d.as("nobody").wants(401, "GET", "/openapi.json", "")
	d.as("reader").wants(403, "PUT", "/api/v1/thresholds/twice", `{"value": 1, "reason": "x"}`)
	graphtest.Equal(t, d.wants(200, "GET", "/api/v1/thresholds/a%2Fb", "").body["value"], 3.0, "a name with a slash")
	if got := d.send("OPTIONS", "/api/v1/thresholds/twice", ""); got.status != 204 ||
		!strings.Contains(got.header.Get("Allow"), "PUT") {
		t.Errorf("OPTIONS: %d %v", got.status, got.header)
	}
	if got := d.send("HEAD", "/api/v1/thresholds/a%2Fb", ""); got.status != 200 || got.text != "" {
		t.Errorf("HEAD: %d %q", got.status, got.text)
	}
}

func TestREST_ETag_UnchangedHasNoBody(t *testing.T) {
	g, d := open(t)
	toolstest.ApplyShipped(t, g, "core")
	for _, path := range []string{"/api/v1/thresholds/error_rate_max",
		"/api/v1/policies/no-high-stakes-low-confidence"} {
		first := d.wants(200, "GET", path, "", "Accept-Encoding",
			"identity") // a compressed response has a different ETag
		tag := first.header.Get("ETag")
		if want := `"` + first.body["reading"].(map[string]any)["version"].(string) + `"`; tag != want ||
			first.header.Get("Cache-Control") != "private, no-cache" {
			t.Errorf("%s is tagged %s (%s)", path, tag, first.header.Get("Cache-Control"))
		}
		for _, known := range []string{tag, "W/" + tag, `"other", ` + tag, "*", strings.TrimSuffix(tag, `"`) + `-gzip"`,
			strings.TrimSuffix(tag, `"`) + `-zstd"`} {
			if got := d.send("GET", path, "", "If-None-Match", known, "Accept-Encoding",
				"identity"); got.status != 304 || got.text != "" || got.header.Get("ETag") != tag {
				t.Errorf("%s with %s: %d %q", path, known, got.status, got.text)
			}
		}
		d.wants(200, "GET", path, "", "If-None-Match", `"other"`)
		for _, encoding := range []string{"identity", "gzip", "zstd", "gzip, deflate, br, zstd",
			"br"} { // the last but one is Chrome's
			compressed := d.send("GET", path, "", "Accept-Encoding", encoding).header.Get("ETag")
			graphtest.Equal(t, d.send("GET", path, "", "If-None-Match", compressed, "Accept-Encoding",
				encoding).status, 304, fmt.Sprint(path, " in ", encoding, " with ", compressed))
		}
	}
	path := "/api/v1/thresholds/error_rate_max"
	tag := d.wants(200, "GET", path, "").header.Get("ETag")
	d.wants(200, "PUT", path, `{"value": 0.02, "reason": "x"}`, "If-Match", tag)
	graphtest.Equal(t, d.wants(412, "PUT", path, `{"value": 0.03, "reason": "x"}`, "If-Match",
		tag).body["error"], "conflict", "error")

	if got := d.wants(200, "GET", path, "", "If-None-Match", tag); got.body["value"] != 0.02 ||
		got.header.Get("ETag") == tag {
		t.Errorf("after a change: %s %s", got.header.Get("ETag"), got.text)
	}
	d.wants(200, "PUT", path, `{"value": 0.04, "reason": "x"}`, "If-Match", "*")
	d.wants(409, "PUT", path, `{"value": 0.05, "reason": "x", "if_version": "0123456789"}`)
	d.wants(400, "PUT", path, `{"value": 0.05, "reason": "x"}`, "If-Match", `"a", "b"`)
	for _, c := range []struct {
		status       int
		header, text string
	}{{400, "If-Match", ""}, {400, "If-Match", " "}, {400, "If-Match", ","}, {400, "If-Match", `""`},
		{412, "If-Match", `"stale"`}, {412, "If-None-Match", "*"}, {412, "If-None-Match", `"a", *`},
		{400, "If-None-Match", `"a"`}, {400, "If-None-Match", ""}} {
		d.wants(c.status, "PUT", path, `{"value": 0.06, "reason": "x"}`, c.header, c.text)
		graphtest.Equal(t, d.wants(200, "GET", path, "").body["value"], 0.04,
			fmt.Sprint(c.header, ": ", c.text, " wrote"))
	}
	d.wants(400, "POST", "/api/v1/policies/no-high-stakes-low-confidence/disable", `{"reason": "x"}`, "If-Match", `"a"`)
}

func TestREST_Links_LeadToNextPages(t *testing.T) {
	g, d := open(t)
	toolstest.ApplyShipped(t, g, "core")
	seen, path, total := map[string]bool{}, "/api/v1/thresholds?limit=7", 0.0
	for pages := 0; path != "" && pages < 20; pages++ {
		got := d.wants(200, "GET", path, "")
		total = got.body["total"].(float64)
		for _, row := range got.body["thresholds"].([]any) {
			seen[row.(map[string]any)["name"].(string)] = true
		}
		link := got.header.Get("Link")
		graphtest.Equal(t, (link == ""), (got.body["next_cursor"] == nil), fmt.Sprint("the cursor of the link ", link))
		path = ""
		if link != "" {
			path = strings.TrimSuffix(strings.TrimPrefix(link, "<"), `>; rel="next"`)
			graphtest.Contains(t, path, "limit=7")
		}
	}
	if float64(len(seen)) != total || total < 8 {
		t.Errorf("%d of %v were on the pages", len(seen), total)
	}
}

func TestREST_IdempotencyKey_RecordsOnce(t *testing.T) {
	g, d := open(t)
	const decision = `{"decision": "Use a table", "category": "process", "confidence": 0.9}`
	first := d.wants(200, "POST", "/api/v1/decisions", decision, "Idempotency-Key", "k-1")
	for _, key := range []string{"k-1", `"k-1"`} {
		graphtest.Equal(t, d.wants(200, "POST", "/api/v1/decisions", decision, "Idempotency-Key",
			key).body["id"], first.body["id"], key+" records again")
	}
	d.wants(200, "POST", "/api/v1/decisions", decision, "Idempotency-Key", "k-2")
	graphtest.Equal(t, toolstest.Count(t, g, "MATCH (d:Decision) RETURN count(d)"), 2, "decisions")
	d.wants(400, "POST", "/api/v1/decisions", `{"decision": "x", "category": "process", "confidence": 0.9, "request_key": "other"}`, "Idempotency-Key", "k-1")
	d.wants(400, "POST", "/api/v1/thoughts", `{"text": "x"}`, "Idempotency-Key", "k-1")
	d.wants(200, "POST", "/api/v1/checks", `{"description": "x"}`, "Idempotency-Key", "k-1")
}

func TestREST_LongAnswers_AreCompressed(t *testing.T) {
	g, d := open(t)
	toolstest.ApplyShipped(t, g, "core")
	if got := d.send("GET", "/api/v1/thresholds", "", "Accept-Encoding",
		"gzip"); got.header.Get("Content-Encoding") != "gzip" || !strings.HasPrefix(got.text, "\x1f\x8b") {
		t.Errorf("a long answer: %v", got.header)
	}
	graphtest.Equal(t, d.send("GET", "/api/v1/thresholds", "", "Accept-Encoding",
		"identity").header.Get("Content-Encoding"), "", "without Accept-Encoding")

	if got := d.send("GET", "/api/v1/packs/core", "", "Accept", "text/plain"); got.status != 200 ||
		!strings.Contains(got.text, "\nthresholds:\n") ||
		got.header.Get("Content-Type") != "text/plain; charset=utf-8" {
		t.Errorf(`got %d %v %s, want status=200, text with %q, Content-Type="text/plain; charset=utf-8"`, got.status,
			got.header, got.text, "\nthresholds:\n")
	}
	if got := d.wants(200, "GET", "/api/v1/packs/core", "", "Accept", "*/*"); got.body["text"] == nil {
		t.Error(got.text)
	}
}

func TestPage_Resources_AreLocal(t *testing.T) {
	d := serve(t, nil).as("nobody")
	page := d.send("GET", "/api/docs", "")
	if page.status != 200 || !strings.Contains(page.header.Get("Content-Security-Policy"), "default-src 'none'") ||
		strings.Contains(page.text, "//") && strings.Contains(page.text, "http") {
		t.Errorf(`got %d %v, want status=200, Content-Security-Policy with "default-src 'none'", not strings.Contains(page.text, "//") && strings.Contains(page.text, "http")`, page.status, page.header)
	}
	for _, part := range []string{"/api/docs/page.js", "/api/docs/page.css"} {
		if got := d.send("GET", part, ""); got.status != 200 || !strings.Contains(page.text, part) ||
			strings.Contains(got.text, "http") {
			t.Errorf("got %s, %d, want status=200, text with %q, text without http", part, got.status, part)
		}
	}
}

func TestREST_NoToken_NamesTheAgent(t *testing.T) {
	_, d := open(t)
	for _, tt := range []struct{ token, header, agent string }{
		{"open", "grace", "grace"}, {"open", "Grace+Hopper%2C%20ONR", "Grace Hopper, ONR"}, {"ada", "grace", "ada"},
		{"open", "", "unknown"},
		{"open", "grace%1b", "unknown"}, {"open", "%zz", "unknown"}, {"open", strings.Repeat("x", 201), "unknown"},
	} {
		graphtest.Equal[any](t, d.as(tt.token).
			wants(200, "POST", "/api/v1/checks", `{"description": "Deploy"}`, "X-Nomograph-Agent",
				tt.header).body["agent_id"], tt.agent, fmt.Sprint(tt.token, ", ", tt.header))
	}
}
