package hooks_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strconv"
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
	"nomograph/internal/golden"
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
	status, _, text := graphtest.Send(t, http.DefaultClient, http.MethodPost, url, body, "Authorization", "Bearer "+
		token,
		"Content-Type", "application/json")
	return status, text
}

func bash(command, id string) string {
	return `{"session_id":"s","hook_event_name":"PreToolUse","tool_name":"Bash","tool_use_id":"` + id +
		`","tool_input":{"command":"` + command + `"}}`
}

// event returns the event of a row: a call of a command, or the event itself.
func event(text, id string) string {
	if command, ok := strings.CutPrefix(text, "bash "); ok {
		return bash(command, id)
	}
	if command, ok := strings.CutPrefix(text, "grok "); ok {
		return grok(command)
	}
	return strings.Replace(text, "LONG", strings.Repeat("x", 9<<20), 1)
}

func grok(command string) string {
	return `{"hookEventName":"pre_tool_use","sessionId":"g","toolName":"run_terminal_command","toolInput":{"command":"` + command + `"}}`
}

func TestHook_Events_AreAnsweredInTheClientsForm(t *testing.T) {
	_, url := serve(t)
	for i, row := range golden.Rows(t, "testdata/events.txt") {
		status, body := post(t, url+"/hooks/"+row[2], row[1], event(row[3], strconv.Itoa(i)))
		if strconv.Itoa(status) != row[0] || !strings.Contains(body, row[4]) || row[4] == "" && body != "" {
			t.Errorf("%v: got %d %s", row, status, body)
		}
	}
}

// TestHook_RefusedRequest_IsADenial: requests that the server refuses before it reads an event.
func TestHook_RefusedRequest_IsADenial(t *testing.T) {
	_, url := serve(t)
	for _, row := range golden.Rows(t, "testdata/refused.txt") {
		headers := []string{"Authorization", "Bearer reader", "Content-Type", "application/json"}
		if header, value, ok := strings.Cut(row[3], ":"); ok {
			headers = append(headers, header, strings.TrimSpace(value))
		}
		status, _, text := graphtest.Send(t, http.DefaultClient, http.MethodPost, url+"/hooks/"+row[1],
			event(row[2], "1"),
			headers...)
		if status != http.StatusOK || !strings.Contains(text, row[4]) {
			t.Errorf("%s: got %d %s, want status 200 with %s", row[0], status, text, row[4])
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
	graphtest.Equal[any](t, g.Rows(t, "MATCH (v:Verdict) RETURN count(v) AS n", nil)[0]["n"], int64(1), "verdicts")
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
