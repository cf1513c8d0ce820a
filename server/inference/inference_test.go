package inference_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"nomograph/graph/graphtest"
	"nomograph/internal/caller"
	"nomograph/internal/golden"
	"nomograph/internal/webhook"
	"nomograph/server"
	"nomograph/server/inference"
	"nomograph/tools/toolstest"
)

const rules = `CREATE
	(:SYS_Policy {name: 'no-crm', active: true, severity: 'block', actions: ['mcp.call'], message: 'The CRM is closed',
		requires: 'action.params.server != "crm"', alternatives: ['ask sales']}),
	(:SYS_Policy {name: 'keep', active: true, severity: 'block', requires: '!has(action.params.deletes_of) || action.params.deletes_of.size() == 0', message: 'It deletes the system'}),
	(:SYS_Policy {name: 'ask-push', active: true, severity: 'approve', actions: ['shell.run'], requires: '!action.params.command.contains("push")', message: 'A person must agree'}),
	(:SYS_Policy {name: 'clean-prompts', active: true, severity: 'block', actions: ['prompt.submit'], requires: '!action.params.secrets', message: 'It contains a secret'}),
	(:SYS_Policy {name: 'frozen', active: true, severity: 'block', requires: '!("eve@example.com" in action.actors) && !("cowork" in action.actors)', message: 'Frozen'})`

const secret = "whsec_bm9tb2dyYXBoLXRlc3Qtc2lnbmluZy1rZXktMDE="

// serve serves the endpoint for a new graph with rules.
func serve(t *testing.T, enforce bool) (*graphtest.Graph, string) {
	t.Helper()
	g, app := toolstest.Open(t)
	g.Exec(t, rules, nil)
	s := server.New(server.Options{Address: "127.0.0.1:0", Log: zerolog.Nop(),
		Authenticate: func(*http.Request) (caller.Caller, error) { panic("the signature authenticates") }})
	inference.New(app.Runner(), inference.Options{Secrets: []string{secret}, Enforce: enforce,
		Log: zerolog.Nop()}).Serve(s)
	h := httptest.NewServer(s.Handler())
	t.Cleanup(h.Close)
	return g, h.URL + inference.Path
}

// request is a request with the headers that Anthropic sends.
func request(t *testing.T, url, id, body string) *http.Request {
	t.Helper()
	r := graphtest.Must(http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(body)))(t)
	now := time.Now()
	signature := graphtest.Must(webhook.Sign(secret, id, now, []byte(body)))(t)
	for name, value := range map[string]string{"Content-Type": "application/json", "User-Agent": "anthropic-dlp/1",
		"Accept-Encoding": "identity", "webhook-id": id, "webhook-timestamp": strconv.FormatInt(now.Unix(), 10),
		"webhook-signature": signature} {
		r.Header.Set(name, value)
	}
	return r
}

func send(t *testing.T, r *http.Request) (int, map[string]any) {
	t.Helper()
	answer, err := http.DefaultClient.Do(r)
	graphtest.OK(t, err)
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	var reply map[string]any
	if err != nil || json.Unmarshal(text, &reply) != nil || len(text) > 64<<10 {
		t.Errorf("got the answer %.200s, %v", text, err)
	}
	return answer.StatusCode, reply
}

// event is a frame with all documented fields.
func event(kind, user, application, messages string) string {
	return fmt.Sprintf(`{"type":%q,"request_id":"r","tenant_id":"11111111-1111-1111-1111-111111111111","actor":{"type":"user","id":"user_01","email_address":%q},"source":{"application":%q},"session_id":"22222222-2222-2222-2222-222222222222","model":"claude-sonnet-4-5","messages":%s,"metadata":{}}`,
		kind, user, application, messages)
}

func prompt(blocks string) string {
	return event("prompt", "ada@example.com", "claude-ai",
		`[{"role":"user","content":[{"type":"text","text":"my key is sk-ant-api03-`+
			strings.Repeat("Ab1", 30)+`"}]},{"role":"assistant","content":[{"type":"text","text":"Noted"}]},{"role":"user","content":[`+
			blocks+`]}]`)
}

func calls(blocks string) string {
	return event("tool_call", "ada@example.com", "claude-code",
		`[{"role":"assistant","content":[{"type":"text","text":"I will"},`+
			blocks+`]}]`)
}

func call(tool, input, info string) string {
	return fmt.Sprintf(`{"type":"tool_use","id":"toolu_01","tool_name":%q,"input":%s,"tool_info":%s}`, tool, input,
		info)
}

const (
	client = `{"type":"client"}`
	list   = `{"command":"ls -la reports/"}`
)

func TestHook_Events_AreAllowedOrDenied(t *testing.T) {
	inBothModes(t, func(t *testing.T, enforce bool, _ string) {
		_, url := serve(t, enforce)
		for i, row := range golden.Rows(t, "testdata/events.txt") {
			name, want, body := row[0], row[1], row[2]
			if blocks, ok := strings.CutPrefix(body, "prompt "); ok {
				body = prompt(blocks)
			} else if blocks, ok := strings.CutPrefix(body, "calls "); ok {
				body = calls(blocks)
			}
			status, got := send(t, request(t, url, fmt.Sprintf("req_%d", i), body))
			reason, _ := got["deny_reason"].(string)
			denied := got["action"] == "deny" && strings.Contains(reason, want) && len(reason) <= 500
			allowed := got["action"] == "allow" && len(got) == 1
			if status != 200 || enforce && want != "" && !denied || (!enforce || want == "") && !allowed {
				t.Errorf("%s, enforce %v: got %d %v, want the reason %q", name, enforce, status, got, want)
			}
			if strings.Contains(reason, "nomograph verdict") {
				t.Errorf("%s: a command for agents: %s", name, reason)
			}
		}
	})
}

// inBothModes runs a test with the answer to an event that cannot be checked.
func inBothModes(t *testing.T, test func(t *testing.T, enforce bool, unchecked string)) {
	t.Run("enforce", func(t *testing.T) { test(t, true, "deny") })
	t.Run("shadow", func(t *testing.T) { test(t, false, "allow") })
}

// TestHook_ForgedRequests_GetNoVerdict: any status other than 200 is a failure for Anthropic, never a verdict.
func TestHook_ForgedRequests_GetNoVerdict(t *testing.T) {
	g, url := serve(t, false)
	old, soon := time.Now().Add(-webhook.Tolerance-time.Minute), time.Now().Add(webhook.Tolerance+time.Minute)
	body := calls(call("bash", list, client))
	for name, change := range map[string]func(r *http.Request){
		"unsigned":   func(r *http.Request) { r.Header.Del("webhook-signature") },
		"no id":      func(r *http.Request) { r.Header.Del("webhook-id") },
		"changed id": func(r *http.Request) { r.Header.Set("webhook-id", "req_2") },
		"replayed":   func(r *http.Request) { signAt(r, body, old) },
		"future":     func(r *http.Request) { signAt(r, body, soon) },
		"changed body": func(r *http.Request) {
			r.Body = io.NopCloser(strings.NewReader(strings.Replace(body, "ls", "ps", 1)))
		},
		"token": func(r *http.Request) {
			r.Header.Del("webhook-signature")
			r.Header.Set("Authorization", "Bearer x")
		},
	} {
		r := request(t, url, "req_1", body)
		change(r)
		if status, got := send(t, r); status != 401 || got["action"] != nil || got["error"] != "unauthenticated" {
			t.Errorf("%s: got %d %v, want 401", name, status, got)
		}
	}
	graphtest.Equal(t, len(g.Rows(t, "MATCH (v:Verdict) RETURN v", nil)), 0, "verdicts of forged requests")
}

func signAt(r *http.Request, body string, at time.Time) {
	signature, _ := webhook.Sign(secret, r.Header.Get("webhook-id"), at, []byte(body))
	r.Header.Set("webhook-timestamp", strconv.FormatInt(at.Unix(), 10))
	r.Header.Set("webhook-signature", signature)
}

// TestHook_UnreadableRequests_AreVerdicts: Anthropic continues after other answers, if it is configured so.
func TestHook_UnreadableRequests_AreVerdicts(t *testing.T) {
	inBothModes(t, func(t *testing.T, enforce bool, want string) {
		_, url := serve(t, enforce)
		large := prompt(`{"type":"text","text":"` + strings.Repeat("word ", 2<<20) + `"}`)
		if status, got := send(t, request(t, url, "req_1", large)); status != 200 || got["action"] != "allow" {
			t.Errorf("10 MB: got %d %v, want allow", status, got)
		}
		for name, r := range map[string]*http.Request{
			"too long":   request(t, url, "req_2", strings.Repeat("x", 17<<20)),
			"compressed": request(t, url, "req_3", "x"),
			"chunked":    request(t, url, "req_4", strings.Repeat("x", 17<<20)),
		} {
			switch name {
			case "compressed":
				r.Header.Set("Content-Encoding", "gzip")
			case "chunked":
				r.ContentLength = -1
			}
			if status, got := send(t, r); status != 200 || got["action"] != want {
				t.Errorf("%s, enforce %v: got %d %v, want %s", name, enforce, status, got, want)
			}
		}
		r := request(t, url, "req_5", "x")
		r.Host = "evil.example.com"
		if status, got := send(t, r); status != 403 {
			t.Errorf("foreign host: got %d %v, want 403", status, got)
		}
		r = request(t, url, "req_6", "x")
		r.Method = http.MethodPut
		if status, got := send(t, r); status != 405 {
			t.Errorf("PUT: got %d %v, want 405", status, got)
		}
	})
}

// TestHook_Verdict_IsRecordedOnce: with the person, the application, the session and the mode, and without secrets.
func TestHook_Verdict_IsRecordedOnce(t *testing.T) {
	inBothModes(t, testRecordedVerdict)
}

func testRecordedVerdict(t *testing.T, enforce bool, _ string) {
	g, url := serve(t, enforce)
	var reference any
	for range 2 { // a retry has the same id
		_, got := send(t, request(t, url, "req_1", calls(call("bash", `{"command":"rm -rf / --token=sk-ant-api03-`+
			strings.Repeat("Ab1", 30)+`"}`, client))))
		if reference == nil {
			reference = got["reference_id"]
		}
		if enforce && (got["reference_id"] != reference || !regexp.MustCompile(`^[A-Za-z0-9._:/-]{1,50}$`).
			MatchString(fmt.Sprint(reference))) {
			t.Errorf("got the reference %v, want %v", got["reference_id"], reference)
		}
	}
	rows := g.Rows(t, "MATCH (v:Verdict) RETURN v.uid AS uid, v.agent AS agent, v.actors AS actors, v.inputs AS inputs, v.enforced AS enforced, v.allowed AS allowed",
		nil)
	if len(rows) != 1 || enforce && rows[0]["uid"] != reference || rows[0]["enforced"] != enforce ||
		rows[0]["allowed"] != false {
		t.Fatalf("got the verdicts %v, want one", rows)
	}
	row := fmt.Sprint(rows[0])
	graphtest.Contains(t, row, "ada@example.com", "claude-code", "22222222-2222-2222-2222-222222222222",
		"toolu_01",
		`"model":"claude-sonnet-4-5"`)

	if strings.Contains(row, "Ab1Ab1") {
		t.Errorf("a secret is stored: %s", row)
	}
}

// TestHook_NoDatabase_IsDenied unless the mode is shadow.
func TestHook_NoDatabase_IsDenied(t *testing.T) {
	inBothModes(t, func(t *testing.T, enforce bool, want string) {
		s := server.New(server.Options{Address: "127.0.0.1:0", Log: zerolog.Nop()})
		inference.New(toolstest.App(t, toolstest.Unavailable(t)).Runner(),
			inference.Options{Secrets: []string{secret}, Enforce: enforce,
				Log: zerolog.Nop()}).Serve(s)
		h := httptest.NewServer(s.Handler())
		t.Cleanup(h.Close)
		status, got := send(t, request(t, h.URL+inference.Path, "req_1", calls(call("bash", list, client))))
		if status != 200 || got["action"] != want {
			t.Errorf("enforce %v: got %d %v, want %s", enforce, status, got, want)
		}
	})
}
