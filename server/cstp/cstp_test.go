package cstp_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/rs/zerolog"

	"nomograph/graph/graphtest"
	"nomograph/internal/apperr"
	"nomograph/internal/caller"
	"nomograph/internal/golden"
	"nomograph/server"
	"nomograph/server/cstp"
	"nomograph/tools"
	"nomograph/tools/toolstest"
)

// authenticate authenticates tokens: an agent of this server, agents of other servers, and an agent that is rate
// limited after a number of requests.
func authenticate(spent map[string]int) func(r *http.Request) (caller.Caller, error) {
	rights := map[string][]caller.Permission{"emerson": {caller.Read, caller.Decide, caller.Announce, caller.Review},
		"claude-ops": {caller.Federate}, "peer": {caller.Federate, caller.Announce},
		"admin": {caller.Admin}, "hasty": {caller.Read}, "nothing": nil}
	var one sync.Mutex // calls of a batch run in parallel
	return func(r *http.Request) (caller.Caller, error) {
		one.Lock()
		defer one.Unlock()
		name := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
		permissions, ok := rights[name]
		if !ok {
			return caller.Caller{}, apperr.New(apperr.Unauthenticated, "The request has no token")
		}
		if spent[name]++; name == "hasty" && spent[name] > 2 {
			return caller.Caller{}, server.RetryIn(7, apperr.New(apperr.RateLimited, "Too many requests"))
		}
		return caller.Caller{Name: name, Authenticated: true, Permissions: permissions}, nil
	}
}

type endpoint struct {
	t   *testing.T
	url string
}

func serve(t *testing.T, env *tools.App, o cstp.Options) endpoint {
	t.Helper()
	s := server.New(server.Options{Address: "127.0.0.1:0", Hosts: []string{"agent.example.com"}, Log: zerolog.Nop(),
		Authenticate: authenticate(map[string]int{})})
	if o.Card.Name == "" {
		o.Card = cstp.Card{Name: "emerson-cognition", Description: "Decision intelligence for AI agents",
			Version: "0.7.0", URL: "https://agent.example.com", Contact: "emerson@example.com"}
	}
	o.Log = zerolog.Nop()
	cstp.New(env.Runner(), o).Serve(s)
	h := httptest.NewServer(s.Handler())
	t.Cleanup(h.Close)
	return endpoint{t, h.URL}
}

// post sends a body and returns status, headers and text.
func (d endpoint) post(token, body string, headers ...string) (int, http.Header, string) {
	d.t.Helper()
	return graphtest.Send(d.t, http.DefaultClient, http.MethodPost, d.url+"/cstp", body,
		append([]string{"Authorization", "Bearer " + token, "Content-Type", "application/json"}, headers...)...)
}

type response struct {
	JSONRPC string
	ID      any
	Result  map[string]any
	Error   *struct {
		Code    int
		Message string
		Data    map[string]any
	}
}

// call calls a method that must be answered.
func (d endpoint) call(token, method, params string) response {
	d.t.Helper()
	status, _, body := d.post(token, fmt.Sprintf(`{"jsonrpc": "2.0", "method": %q, "id": 1, "params": %s}`, method,
		params))
	var r response
	if err := json.Unmarshal([]byte(body), &r); err != nil || status != 200 || r.JSONRPC != "2.0" {
		d.t.Fatalf("%s %s: got %d %s, want status=200, JSONRPC=2.0", method, params, status, body)
	}
	return r
}

// result calls a method that must succeed.
func (d endpoint) result(token, method, params string) map[string]any {
	d.t.Helper()
	r := d.call(token, method, params)
	if r.Error != nil || r.Result == nil {
		d.t.Fatalf("%s %s: got %+v, want Error=nil, non-nil Result", method, params, r.Error)
	}
	return r.Result
}

func list(value any) []map[string]any {
	var out []map[string]any
	all, _ := value.([]any)
	for _, one := range all {
		out = append(out, one.(map[string]any))
	}
	return out
}

// open returns an endpoint on a graph with the guardrails and decisions of the design's examples.
func open(t *testing.T) (*graphtest.Graph, *tools.App, endpoint) {
	t.Helper()
	g, env := toolstest.Open(t)
	g.Exec(t, `CREATE (:SYS_Policy {name: 'no-production-without-review', active: true, severity: 'block', message: 'Production changes require completed code review',
			applies_when: 'has(action.context.affectsProduction) && action.context.affectsProduction', requires: 'has(action.context.codeReviewCompleted) && action.context.codeReviewCompleted'}),
		(:SYS_Policy {name: 'no-high-stakes-low-confidence', active: true, severity: 'warn', message: 'High-stakes decisions require 70% confidence or more',
			applies_when: 'action.stakes >= high', requires: 'has(action.confidence) && action.confidence >= 0.7'}),
		(:SYS_Policy {name: 'no-third', active: true, severity: 'block', message: 'never', applies_when: 'action.category == "never"', requires: 'false'}),
		(:SYS_Policy {name: 'no-fourth', active: true, severity: 'block', message: 'never', applies_when: 'action.category == "never"', requires: 'false'})`, nil)
	return g, env, serve(t, env, cstp.Options{})
}

func (d endpoint) record(text, more string) string {
	d.t.Helper()
	out := d.result("emerson", "cstp.recordDecision",
		fmt.Sprintf(`{"decision": %q, "confidence": 0.9, "category": "architecture", "stakes": "medium"%s}`, text,
			more))
	return out["id"].(string)
}

// found fails the test if a query does not find a decision.
func (d endpoint) found(token, query, id string) {
	d.t.Helper()
	for _, one := range list(d.result(token, "cstp.queryDecisions",
		fmt.Sprintf(`{"query": %q, "limit": 50}`, query))["decisions"]) {
		if one["id"] == id {
			return
		}
	}
	d.t.Fatalf("%s is not found", id)
}

// replaceIDs returns a response without values that differ between runs.
func replaceIDs(t *testing.T, body string, ids ...string) string {
	t.Helper()
	var value any
	if err := json.Unmarshal([]byte(body), &value); err != nil {
		t.Fatal(body)
	}
	text := drawn.ReplaceAllString(toolstest.Pretty(t, settled(value, "")), "(drawn)")
	for i, id := range ids {
		text = strings.ReplaceAll(text, id, fmt.Sprintf("dec-%d", i+1))
	}
	return text
}

// drawn matches random ids and hashes.
var drawn = regexp.MustCompile(`[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|[0-9a-f]{64}`)

var changing = []string{"seq", "durationMs", "periodStart", "periodEnd", "date", "timestamp", "at", "createdAt",
	"created_at", "updated_at", "recorded_at", "evaluatedAt", "reviewBy", "queryTimeMs", "queryTime", "verdictId",
	"uid", "intentId", "distance", "reviewedAt", "reviewed_at", "revision", "version",
	"sessionId", "tracker_key", "combined", "semantic", "keyword", "score", "total_duration_ms", "tokens",
	"activeSince", "detail"}

func settled(value any, name string) any {
	if slices.Contains(changing, name) && value != nil {
		switch value.(type) {
		case string, float64:
			return fmt.Sprintf("(%T)", value)
		}
	}
	switch v := value.(type) {
	case map[string]any:
		for key, member := range v {
			v[key] = settled(member, key)
		}
	case []any:
		for i := range v {
			v[i] = settled(v[i], name)
		}
	}
	return value
}

// further matches the methods after those of the design, because their number grows.
var further = regexp.MustCompile(`("cstp\.checkGuardrails")(,\s+"cstp\.\w+")+`)

// TestMethods_ExamplesOfTheDesign_Work sends the examples of CSTP's design unchanged.
func TestMethods_ExamplesOfTheDesign_Work(t *testing.T) {
	g, _, d := open(t)
	deployed := d.record("Deployed auth service v2.1", `, "visibility": "shared"`)
	d.result("emerson", "cstp.reviewDecision", fmt.Sprintf(`{"id": %q, "outcome": "success", "lessons": "Required 30-min rollback window"}`, deployed))
	migration := d.record("Use blue-green deployment for DB migration",
		`, "visibility": "shared", "context": "database migration strategy"`)
	d.result("emerson", "cstp.reviewDecision", fmt.Sprintf(`{"id": %q, "outcome": "success"}`, migration))
	toolstest.WaitForWorkers(t, g) // search indexes are updated in the background
	d.found("emerson", "authentication service", deployed)
	d.found("claude-ops", "database migration", migration)
	for name, tt := range map[string]struct{ token, body string }{
		"announce": {"emerson", `{"jsonrpc": "2.0", "method": "cstp.announceIntent", "id": "req-001", "params": {"intent": "Deploy authentication service to production", "context": "PR #42 approved, all tests passing",
			"category": "architecture", "stakes": "high", "confidence": 0.85, "agent": {"id": "emerson", "url": "https://emerson.example.com"}, "correlationId": "550e8400-e29b-41d4-a716-446655440000"}}`},
		"query": {"claude-ops", `{"jsonrpc": "2.0", "method": "cstp.queryDecisions", "id": "req-002", "params": {"query": "database migration strategy",
			"filters": {"category": "architecture", "minConfidence": 0.7, "dateAfter": "2026-01-01T00:00:00Z"}, "limit": 10}}`},
		"check": {"claude-ops", `{"jsonrpc": "2.0", "method": "cstp.checkGuardrails", "id": "req-003", "params": {"action": {"description": "Deploy to production without code review", "category": "process",
			"stakes": "high", "confidence": 0.6, "context": {"affectsProduction": true, "codeReviewCompleted": false}}}}`},
	} {
		status, header, body := d.post(tt.token, tt.body)
		if status != 200 || header.Get("Content-Type") != "application/json" {
			t.Errorf(`%s: got %d %v, want status=200, Content-Type="application/json"`, name, status, header)
		}
		golden.Check(t, "testdata/design_"+name+".json", replaceIDs(t, body, deployed, migration))
	}
	for _, path := range []string{"agent.json", "agent-card.json"} {
		status, _, text := graphtest.Send(t, http.DefaultClient, http.MethodGet, d.url+"/.well-known/"+path, "")
		graphtest.Equal(t, status, http.StatusOK, path)
		var pretty strings.Builder
		encoder := json.NewEncoder(&pretty)
		encoder.SetIndent("", "  ")
		graphtest.OK(t, encoder.Encode(json.RawMessage(text))) // keeps the order of members
		golden.Check(t, "testdata/"+path, further.ReplaceAllString(pretty.String(), "$1"))
	}
}

// TestCSTP_AgentOfAnotherServer_GetsSharedDecisions: the same method returns only shared decisions, and other methods
// return nothing.
func TestCSTP_AgentOfAnotherServer_GetsSharedDecisions(t *testing.T) {
	g, _, d := open(t)
	hidden := d.record("Move the queue into a table of the wombat",
		`, "context": "wombat", "reasons": [{"type": "analysis", "text": "wombat"}]`)
	shared := d.record("Move the queue into a table",
		`, "visibility": "shared", "context": "wombat", "tags": ["wombat"], "reasons": [{"type": "analysis", "text": "wombat"}]`)
	named := d.record("Move the other queue into a table", `, "sharedWith": ["Claude-Ops"]`)
	toolstest.WaitForWorkers(t, g)
	d.found("emerson", "move the queue", hidden)
	d.found("claude-ops", "move the queue", shared)
	d.found("claude-ops", "move the queue", named)
	_, _, body := d.post("claude-ops", `{"jsonrpc": "2.0", "method": "cstp.queryDecisions", "id": 1, "params": {"query": "move the queue into a table", "limit": 50}}`)
	if strings.Contains(body, "wombat") || strings.Contains(body, hidden) || !strings.Contains(body, shared) ||
		!strings.Contains(body, named) {
		t.Errorf("another server got %s, want body without wombat, body without %q, body with %q, body with %q", body,
			hidden, shared, named)
	}
	if all := list(d.result("emerson", "cstp.queryDecisions",
		`{"query": "move the queue into a table"}`)["decisions"]); len(all) != 3 || all[0]["reasons"] == nil &&
		all[1]["reasons"] == nil {
		t.Errorf("a local caller got %v", all)
	}
	for _, method := range []string{"cstp.getDecision", "cstp.listDecisions", "cstp.getSessionContext",
		"cstp.recordDecision", "cstp.getGraph", "cstp.announceIntent", "cstp.reindex"} {
		if r := d.call("claude-ops", method, `{"id": "`+shared+`"}`); r.Error == nil || r.Error.Code != -32009 {
			t.Errorf("%s: got %+v, want non-nil Error, Code=-32009", method, r)
		}
	}
	if r := d.call("claude-ops", "cstp.queryDecisions",
		`{"query": "queue", "filters": {"tags": ["wombat"]}}`); r.Error == nil || r.Error.Code != -32602 {
		t.Errorf("a search by unshared text: got %+v, want non-nil Error, Code=-32602", r)
	}
	r := d.call("claude-ops", "cstp.everything", `{}`)
	if available := fmt.Sprint(r.Error.Data["available"]); r.Error.Code != -32601 ||
		!strings.Contains(available, "cstp.queryDecisions") || strings.Contains(available, "cstp.getDecision") {
		t.Errorf("got %+v, want Code=-32601, available with cstp.queryDecisions, available without cstp.getDecision",
			r.Error)
	}
	if r := d.call("nothing", "cstp.checkGuardrails", `{"action": {"description": "x"}}`); r.Error == nil ||
		r.Error.Code != -32009 || r.Error.Data["allowed"] != false {
		t.Errorf("a caller without permissions: got %+v, want non-nil Error, Code=-32009, allowed=false", r.Error)
	}
	intent := d.result("peer", "cstp.announceIntent", `{"intent": "Move the queue into a table", "stakes": "high"}`)
	text, _ := json.Marshal(intent)
	if strings.Contains(string(text), "wombat") || !strings.Contains(string(text), shared) ||
		strings.Contains(string(text), hidden) {
		t.Errorf("an announcement: got %s, want string(text) without wombat, string(text) with %q, string(text) without %q", text, shared, hidden)
	}
	status, header, body := d.post("emerson", `{"jsonrpc": "2.0", "method": "cstp.answerIntent", "id": 1, "params": {"intentId": "`+intent["correlationId"].(string)+`", "allowed": false, "reasons": ["The freeze"]}}`)
	if status != 200 || !strings.Contains(body, `"correlationId"`) || header.Get("X-Request-Id") == "" {
		t.Errorf(`got %d %s, want status=200, body with ""correlationId"", non-empty X-Request-Id`, status, body)
	}
	if shown := d.result("peer", "cstp.getIntent", `{"intentId": "`+intent["intentId"].(string)+
		`"}`); shown["objections"] != 1.0 || len(list(shown["votes"])) != 2 {
		t.Errorf(`got %v, want objections=1.0, len(list(shown["votes"]))=2`, shown)
	}
}
