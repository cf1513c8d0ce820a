package cstp_test

import (
	"encoding/json"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"nomograph/server/cstp"
	"nomograph/tools"
	"nomograph/tools/toolstest"
)

// TestErrors_EveryProblem_HasDataAndNamesMethods sends each kind of invalid request and checks that no error contains
// operation names.
func TestErrors_EveryProblem_HasDataAndNamesMethods(t *testing.T) {
	d := serve(t, toolstest.App(t, toolstest.Unavailable(t)), cstp.Options{})
	call := func(method, params string) string {
		return `{"jsonrpc": "2.0", "id": 1, "method": "` + method + `", "params": ` + params + `}`
	}
	operation := regexp.MustCompile("`[a-z]+(_[a-z]+)+`")
	for name, tt := range map[string]struct {
		token, body string
		code        int
	}{
		"empty":               {"emerson", ``, -32700},
		"no JSON":             {"emerson", `{"jsonrpc": `, -32700},
		"a key twice":         {"emerson", `{"jsonrpc": "2.0", "jsonrpc": "2.0", "id": 1}`, -32600},
		"no object":           {"emerson", `5`, -32600},
		"an empty batch":      {"emerson", `[]`, -32600},
		"another version":     {"emerson", `{"jsonrpc": "1.0", "id": 1, "method": "cstp.ready"}`, -32600},
		"an id that is none":  {"emerson", `{"jsonrpc": "2.0", "id": {}, "method": "cstp.ready"}`, -32600},
		"no method":           {"emerson", `{"jsonrpc": "2.0", "id": 1}`, -32600},
		"params by place":     {"emerson", call("cstp.ready", `[1]`), -32602},
		"params that are not": {"emerson", call("cstp.ready", `"x"`), -32600},
		"unknown method":      {"emerson", call("cstp.queryDecision", `{}`), -32601},
		"unknown argument":    {"emerson", call("cstp.queryDecisions", `{"query": "x", "nonsense": 1}`), -32602},
		"no right":            {"nothing", call("cstp.queryDecisions", `{"query": "x"}`), -32009},
		"no right to record":  {"claude-ops", call("cstp.recordDecision", `{"decision": "x"}`), -32009},
		"no right to reset":   {"emerson", call("cstp.resetCircuit", `{"scope": "global"}`), -32009},
		"no right to reindex": {"nothing", call("cstp.reindex", `{}`), -32009},
		"no database":         {"emerson", call("cstp.queryDecisions", `{"query": "x"}`), -32003},
		"no database, shared": {"claude-ops", call("cstp.queryDecisions", `{"query": "x"}`), -32003},
		"no token":            {"nobody", call("cstp.ready", `{}`), -32001},
	} {
		_, _, body := d.post(tt.token, tt.body)
		var r response
		if err := json.Unmarshal([]byte(body), &r); err != nil || r.Error == nil {
			t.Errorf("%s: got %s, want non-nil Error", name, body)
			continue
		}
		hint, _ := r.Error.Data["hint"].(string)
		if r.Error.Code != tt.code || r.Error.Data["error"] == nil || hint == "" && tt.token != "nobody" {
			t.Errorf(`%s: got %s, want Code=%v, non-nil error, not hint == "" && tt.token != "nobody"`, name, body,
				tt.code)
		}
		for _, named := range operation.FindAllString(r.Error.Message+hint, -1) {
			if _, ok := tools.Find(tools.Catalog, strings.Trim(named, "`")); ok {
				t.Errorf("%s names %s: %s", name, named, body)
			}
		}
		if name == "unknown method" && (!strings.Contains(hint, "cstp.queryDecisions") ||
			len(r.Error.Data["available"].([]any)) == 0) {
			t.Errorf("got the suggestion %s", body)
		}
	}
}

func TestCard_Caller_ListsPermittedMethods(t *testing.T) {
	d := serve(t, toolstest.App(t, toolstest.Unavailable(t)), cstp.Options{})
	card := func(path, token string) (methods, skills []string) {
		r, _ := http.NewRequestWithContext(t.Context(), http.MethodGet, d.url+"/.well-known/"+path, nil)
		if token != "" {
			r.Header.Set("Authorization", "Bearer "+token)
		}
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer answer.Body.Close()
		var body struct {
			Capabilities struct {
				CSTP       struct{ Methods []string }
				Extensions []struct{ Params struct{ Methods []string } }
			}
			Skills []struct{ ID string }
		}
		if err := json.NewDecoder(answer.Body).Decode(&body); err != nil || answer.StatusCode != http.StatusOK ||
			!strings.Contains(answer.Header.Get("Vary"), "Authorization") {
			t.Fatal(answer.Status, answer.Header, err)
		}
		for _, s := range body.Skills {
			skills = append(skills, s.ID)
		}
		if path == "agent.json" {
			return body.Capabilities.CSTP.Methods, nil
		}
		return body.Capabilities.Extensions[0].Params.Methods, skills
	}
	design := []string{"cstp.announceIntent", "cstp.queryDecisions", "cstp.checkGuardrails"}
	for token, want := range map[string][]string{"": design, "unknown": design, "nothing": {},
		"claude-ops": design[1:]} {
		for _, path := range []string{"agent.json", "agent-card.json"} {
			methods, skills := card(path, token)
			if !slices.Equal(methods[:min(len(methods), len(want))], want) || token != "claude-ops" &&
				len(methods) != len(want) || path == "agent-card.json" && !slices.Equal(skills, want) {
				t.Errorf("%s shows %q the methods %v and %v, want %v", path, token, methods, skills, want)
			}
		}
	}
	if methods, _ := card("agent.json", "claude-ops"); slices.Contains(methods, "cstp.recordDecision") ||
		slices.Contains(methods, "cstp.announceIntent") {
		t.Errorf("an agent of another server got the methods %v", methods)
	}
	if methods, _ := card("agent.json", "admin"); len(methods) < 30 {
		t.Errorf("an administrator got the methods %v", methods)
	}
}
