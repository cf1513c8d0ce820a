package hooks_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"nomograph/decisions/briefing"
	"nomograph/graph"
	"nomograph/graph/graphtest"
	"nomograph/internal/apperr"
	"nomograph/internal/caller"
	"nomograph/policies/check"
	"nomograph/server"
	"nomograph/server/hooks"
	"nomograph/tools"
	"nomograph/tools/toolstest"
)

const rule = `CREATE (:SYS_Policy {name: 'keep', active: true, severity: 'block', requires: '!has(action.params.deletes_of) || action.params.deletes_of.size() == 0', message: 'It deletes the system'}),
	(:SYS_Policy {name: 'ask', active: true, severity: 'approve', requires: '!has(action.params.git) || !("push --force" in action.params.git)', message: 'It overwrites a branch'})`

func serve(t *testing.T) (*graphtest.Graph, string) {
	t.Helper()
	g, app := toolstest.Open(t)
	g.Exec(t, rule, nil)
	return g, listen(t, hooks.New(app.Runner(), hooks.Options{PromptContext: true}))
}

func listen(t *testing.T, transport *hooks.Server) string {
	t.Helper()
	s := server.New(server.Options{Address: "127.0.0.1:0", Log: zerolog.Nop(),
		Authenticate: func(r *http.Request) (caller.Caller, error) {
			switch r.Header.Get("Authorization") {
			case "Bearer reader":
				return caller.Caller{Name: "reader", Authenticated: true,
						Permissions: []caller.Permission{caller.Read}},
					nil
			case "Bearer nothing":
				return caller.Caller{Name: "nothing", Authenticated: true}, nil
			}
			return caller.Caller{}, apperr.New(apperr.Unauthenticated, "The request has no token")
		}})
	transport.Serve(s)
	h := httptest.NewServer(s.Handler())
	t.Cleanup(h.Close)
	return h.URL
}

func post(t *testing.T, url, token, body string) (int, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+token)
	r.Header.Set("Content-Type", "application/json")
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer.StatusCode, string(text)
}

func bash(command, id string) string {
	return `{"session_id":"s","hook_event_name":"PreToolUse","tool_name":"Bash","tool_use_id":"` + id +
		`","tool_input":{"command":"` + command + `"}}`
}

func grok(command string) string {
	return `{"hookEventName":"pre_tool_use","sessionId":"g","toolName":"run_terminal_command","toolInput":{"command":"` + command + `"}}`
}

func TestHook_Events_AreAnsweredInTheClientsForm(t *testing.T) {
	_, url := serve(t)
	for _, tt := range []struct {
		path, token, body string
		status            int
		want              string // part of the body; "" if the body must be empty
	}{
		{"claude-code?contract=1", "reader", bash("ls", "1"), 200, ""},
		{"claude-code?contract=1", "reader", bash("rm -rf /", "2"), 200, `"permissionDecision":"deny"`},
		{"claude-code?contract=1", "reader", bash("git push -f", "3"), 200, `"permissionDecision":"ask"`},
		{"claude-code?contract=1", "reader", "no JSON", 200, `"permissionDecision":"deny"`},
		{"claude-code?contract=1", "reader", "", 200, `"permissionDecision":"deny"`},
		{"claude-code?contract=1", "reader", `{"hook_event_name":"PostToolUse"}`, 200, ""},
		{"claude-code", "reader", bash("ls", "4"), 200, `"permissionDecision":"deny"`},
		{"claude-code?contract=99", "reader", bash("ls", "5"), 200, "hook install claude-code"},
		{"claude-code?contract=1", "nothing", bash("ls", "6"), 200, `"permissionDecision":"deny"`},
		{"claude-code?contract=1&fail_open=shell.*", "nothing", bash("ls", "7"), 200, "was not checked"},
		{"claude-code?contract=1", "nobody", bash("ls", "8"), 200, `"permissionDecision":"deny"`},
		{"claude-code?contract=1&fail_open=*", "nobody", bash("ls", "8"), 200, `"permissionDecision":"deny"`},
		{"generic?contract=1", "nobody", "no JSON", 200, `"decision":"deny"`},
		{"windsurf?contract=1", "nobody", bash("ls", "8"), 401, "unauthenticated"},
		{"generic?contract=1", "reader", `{"kind":"shell.run","command":"rm -rf /"}`, 200, `"decision":"deny"`},
		{"windsurf?contract=1", "reader", bash("ls", "9"), 404,
			"does not support HTTP hooks"}, // Windsurf's hooks deny by exit code
		{"cursor?contract=1", "reader", bash("ls", "9"), 200,
			`"permission":"deny"`}, // also for a client that sends no hooks over HTTP
		{"claude-code?contract=1", "reader", grok("ls"), 200, ""},
		{"claude-code?contract=1", "reader", grok("rm -rf /"), 200, `{"decision":"deny"`},
		{"claude-code?contract=1", "reader", `{"hook_event_name":"SomethingNew","tool_name":"Bash","tool_input":{"command":"ls"}}`, 200, `"permissionDecision":"deny"`},
		{"claude-code", "reader", grok("ls"), 200, `{"decision":"deny"`},
		{"claude-code?contract=1", "nobody", grok("ls"), 200, `{"decision":"deny"`},
		{"claude-code?contract=1", "nobody", `{"hook_event_name":"UserPromptSubmit","prompt":"x"}`, 200,
			`"decision":"block"`},
		{"claude-code?contract=1&fail_open=prompt.submit", "nobody",
			`{"hook_event_name":"UserPromptSubmit","prompt":"x"}`, 200, ""},
		{"claude-code?contract=1", "nobody", `{"hook_event_name":"PostToolUse"}`, 200, ""},
		{"generic?contract=1&fail_open=*", "nobody", `{"kind":"shell.run","command":"ls"}`, 200, `"decision":"deny"`},
		{"emacs?contract=1", "reader", bash("ls", "9"), 404, "not found"},
	} {
		status, body := post(t, url+"/hooks/"+tt.path, tt.token, tt.body)
		if status != tt.status || !strings.Contains(body, tt.want) || tt.want == "" && body != "" {
			t.Errorf("%s: %s: got %d %s", tt.path, tt.body, status, body)
		}
	}
}

// TestHook_RefusedRequest_IsADenial: requests that the server refuses before it reads an event.
func TestHook_RefusedRequest_IsADenial(t *testing.T) {
	_, url := serve(t)
	for name, c := range map[string]struct {
		path, body string
		headers    []string
		want       string
	}{
		"compressed": {"claude-code?contract=1", bash("ls", "1"), []string{"Content-Encoding", "gzip"},
			`"hookEventName":"PreToolUse","permissionDecision":"deny"`},
		"unknown coding": {"claude-code?contract=1", bash("ls", "1"), []string{"Content-Encoding", "br"},
			`"permissionDecision":"deny"`},
		"another type": {"claude-code?contract=1", bash("ls", "1"), []string{"Content-Type", "text/plain"},
			`"permissionDecision":"deny"`},
		"another type, Grok": {"claude-code?contract=1", grok("ls"), []string{"Content-Type", "text/plain"},
			`{"decision":"deny"`},
		"no type": {"claude-code?contract=1", bash("ls", "1"), []string{"Content-Type", ""},
			`"permissionDecision":"deny"`},
		"too long": {"claude-code?contract=1", `{"x": "` + strings.Repeat("x", 9<<20) + `"}`, nil,
			`"permissionDecision":"deny"`},
		"too long, may pass": {"claude-code?contract=1&fail_open=*", `{"x": "` + strings.Repeat("x", 9<<20) + `"}`,
			nil, `"permissionDecision":"deny"`},
		"foreign origin": {"claude-code?contract=1", bash("ls", "1"),
			[]string{"Origin", "https://host.example"}, `"permissionDecision":"deny"`},
		"foreign host": {"claude-code?contract=1", bash("ls", "1"), []string{"Host", "host.example"},
			`"permissionDecision":"deny"`},
		"expired token": {"claude-code?contract=1", bash("ls", "1"),
			[]string{"Authorization", "Bearer expired"}, `"hookEventName":"PreToolUse","permissionDecision":"deny"`},
		"event in the query": {"claude-code?contract=1&event=UserPromptSubmit", bash("ls", "1"),
			[]string{"Content-Encoding", "gzip"}, `"decision":"block"`},
		"compressed, generic": {"generic?contract=1", `{"kind":"shell.run","command":"ls"}`,
			[]string{"Content-Encoding", "gzip"}, `"decision":"deny"`},
		"too long, generic": {"generic?contract=1", `{"x": "` + strings.Repeat("x", 9<<20) + `"}`, nil,
			`"decision":"deny"`},
		"foreign origin, generic": {"generic?contract=1", `{"kind":"shell.run","command":"ls"}`,
			[]string{"Origin", "null"}, `"decision":"deny"`},
	} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url+"/hooks/"+c.path,
			strings.NewReader(c.body))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Authorization", "Bearer reader")
		r.Header.Set("Content-Type", "application/json")
		for i := 0; i < len(c.headers); i += 2 {
			if r.Header.Set(c.headers[i], c.headers[i+1]); c.headers[i] == "Host" {
				r.Host = c.headers[i+1]
			}
		}
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		text, _ := io.ReadAll(answer.Body)
		_ = answer.Body.Close()
		if answer.StatusCode != http.StatusOK || !strings.Contains(string(text), c.want) {
			t.Errorf("%s: got %d %s, want status 200 with %s", name, answer.StatusCode, text, c.want)
		}
	}
}

// TestHook_Panic_IsADenial: clients treat status 500 as a failed hook, and continue.
func TestHook_Panic_IsADenial(t *testing.T) {
	url := listen(t, hooks.New(tools.Runner{}, hooks.Options{Fired: func(string, string, string) { panic("broken") }}))
	for path, want := range map[string]string{"claude-code?contract=1": `"permissionDecision":"deny"`,
		"claude-code?contract=1&fail_open=*": `"permissionDecision":"deny"`,
		"generic?contract=1":                 `"decision":"deny"`} {
		body := bash("ls", "1")
		if strings.HasPrefix(path, "generic") {
			body = `{"kind":"shell.run","command":"ls"}`
		}
		if status, answer := post(t, url+"/hooks/"+path, "reader", body); status != 200 ||
			!strings.Contains(answer, want) {
			t.Errorf("%s: got %d %s, want status=200, answer with %q", path, status, answer, want)
		}
	}
}

func TestHook_SameCallFiftyTimesConcurrently_GivesOneVerdict(t *testing.T) {
	g, url := serve(t)
	var calls sync.WaitGroup
	for range 50 {
		calls.Go(func() {
			if status, body := post(t, url+"/hooks/claude-code?contract=1", "reader",
				bash("rm -rf /", "one")); status != 200 || !strings.Contains(body, `"deny"`) {
				t.Errorf(`got %d %s, want status=200, body with ""deny""`, status, body)
			}
		})
	}
	calls.Wait()
	if rows := g.Rows(t, "MATCH (v:Verdict) RETURN count(v) AS n", nil); rows[0]["n"] != int64(1) {
		t.Errorf("got %v verdicts, want 1", rows[0]["n"])
	}
}

func TestHook_HangingDatabase_DeniesInTime(t *testing.T) {
	if testing.Short() {
		t.Skip("runs in make test-all")
	}
	g, _ := serve(t)
	proxy := graphtest.NewProxy(t, g)
	db := graph.Open(graph.Options{URI: "bolt://" + proxy.Address, Username: g.Endpoint.Username,
		Password: g.Endpoint.Password, Database: g.Endpoint.Database, Log: zerolog.Nop()})
	t.Cleanup(func() { _ = db.Close(context.WithoutCancel(t.Context())) })
	url := listen(t, hooks.New(toolstest.App(t, db).Runner(), hooks.Options{}))
	proxy.Mute()
	started := time.Now()
	status, body := post(t, url+"/hooks/claude-code?contract=1", "reader", bash("ls", "1"))
	if took := time.Since(started); status != 200 || !strings.Contains(body, `"permissionDecision":"deny"`) ||
		took > 14*time.Second {
		t.Errorf(`got %d after %v: %s, want status=200, body with ""permissionDecision":"deny"", took at most %v`,
			status, took, body, 14*time.Second)
	}
}

// TestHook_PromptAndExecution_NeverStopTheClient: a call that cannot be recorded is returned to the caller, and a
// missing context never stops a prompt.
func TestHook_PromptAndExecution_NeverStopTheClient(t *testing.T) {
	g, app := toolstest.Open(t)
	url := listen(t, hooks.New(app.Runner(), hooks.Options{PromptContext: true}))
	if _, err := app.Briefing.SessionContext(t.Context(),
		briefing.Query{TaskDescription: "Deploy the shop",
			OnlyRelevant: true}); err != nil { // a new database plans its statements in seconds
		t.Fatal(err)
	}
	g.Exec(t, "CREATE (:SYS_Policy {name: 'deploy-window', active: true, severity: 'warn', requires: 'true', message: 'Deploy the shop before noon only'})", nil)
	const prompt = `{"session_id":"s","hook_event_name":"UserPromptSubmit","prompt":"Deploy the shop before noon"}`
	path := url + "/hooks/claude-code?contract=1&fail_open=prompt.submit"
	if status, body := post(t, path, "reader", prompt); status != 200 || !strings.Contains(body, "deploy-window") ||
		!strings.Contains(body, `"hookEventName":"UserPromptSubmit"`) {
		t.Errorf(`got %d %s, want status=200, body with deploy-window, body with ""hookEventName":"UserPromptSubmit""`,
			status, body)
	}
	if status, body := post(t, path, "nothing", prompt); status != 200 || body != "" {
		t.Errorf("a caller without permissions: got %d %s, want status=200, empty body", status, body)
	}
	proxy := graphtest.NewProxy(t, g)
	db := graph.Open(graph.Options{URI: "bolt://" + proxy.Address, Username: g.Endpoint.Username,
		Password: g.Endpoint.Password, Database: g.Endpoint.Database, Log: zerolog.Nop()})
	t.Cleanup(func() { _ = db.Close(context.WithoutCancel(t.Context())) })
	kept := make(chan []check.Execution, 1)
	away := listen(t, hooks.New(toolstest.App(t, db).Runner(),
		hooks.Options{PromptContext: true, NotRecorded: func(_ context.Context, _ string,
			executed []check.Execution) {
			kept <- executed
		}}))
	proxy.Mute()
	status, body := post(t, away+"/hooks/claude-code?contract=1", "reader",
		`{"session_id":"s","hook_event_name":"PostToolUse","tool_name":"Bash","tool_input":{"command":"make"},"tool_use_id":"t1","tool_response":{}}`)
	if status != 200 || body != "" {
		t.Errorf("got %d %s, want status=200, empty body", status, body)
	}
	select {
	case executed := <-kept:
		if len(executed) != 1 || executed[0].ToolUseID != "t1" {
			t.Errorf("got %+v, want len(executed)=1, ToolUseID=t1", executed)
		}
	default:
		t.Error("a call that was not recorded is dropped")
	}
}
