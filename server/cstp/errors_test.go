package cstp_test

import (
	"encoding/json"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"nomograph/graph/graphtest"
	"nomograph/internal/golden"
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
	for _, row := range golden.Rows(t, "testdata/problems.txt") {
		code, token, name, sent := row[0], row[1], row[2], row[3]
		if method, params, ok := strings.Cut(sent, " "); ok && strings.HasPrefix(method, "cstp.") {
			sent = call(method, params)
		}
		_, _, body := d.post(token, sent)
		var r response
		if err := json.Unmarshal([]byte(body), &r); err != nil || r.Error == nil {
			t.Errorf("%s: got %s, want non-nil Error", name, body)
			continue
		}
		hint, _ := r.Error.Data["hint"].(string)
		if strconv.Itoa(r.Error.Code) != code || r.Error.Data["error"] == nil || hint == "" && token != "nobody" {
			t.Errorf("%s: got %s, want the code %s and a hint", name, body, code)
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
		var headers []string
		if token != "" {
			headers = []string{"Authorization", "Bearer " + token}
		}
		status, header, text := graphtest.Send(t, http.DefaultClient, http.MethodGet, d.url+"/.well-known/"+path, "",
			headers...)
		var body struct {
			Capabilities struct {
				CSTP       struct{ Methods []string }
				Extensions []struct{ Params struct{ Methods []string } }
			}
			Skills []struct{ ID string }
		}
		if err := json.Unmarshal([]byte(text), &body); err != nil || status != http.StatusOK ||
			!strings.Contains(header.Get("Vary"), "Authorization") {
			t.Fatal(status, header, err)
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
