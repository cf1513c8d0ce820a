package attacks_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/coder/websocket"

	"nomograph/graph/graphtest"
	"nomograph/internal/caller"
	"nomograph/tools"
	"nomograph/tools/toolstest"
)

// leaked returns the parts of a response that the caller may not see.
func leaked(r reply, unnamed []string) string {
	for _, hidden := range append([]string{secret}, unnamed...) {
		if at := strings.Index(strings.ToLower(r.text), strings.ToLower(hidden)); at >= 0 {
			return fmt.Sprintf("%s: ...%s...", hidden, r.text[max(0, at-200):min(len(r.text), at+200)])
		}
	}
	return ""
}

// taken reports whether an argument reveals that a name is in use, because names are unique. It covers sessions that
// start when they are first named; governed sessions must exist already.
func taken(a attack) bool {
	name := a.operation.Name
	return a.reaches == "session" && (!strings.HasPrefix(name, "cra_") || name == "cra_start_session" ||
		name == "cra_bootstrap")
}

// TestAttack_OtherProjectsData_IsHidden reaches for another project's data with every argument of every operation.
func TestAttack_OtherProjectsData_IsHidden(t *testing.T) {
	s, ours, theirs, unnamed := seeded(t)
	before := s.victims(t)
	none := map[string]string{} // handles of the same form that do not exist
	for name, value := range theirs {
		none[name] = strings.Map(func(r rune) rune {
			switch {
			case r >= '0' && r <= '9':
				return '0' + (r-'0'+3)%10
			case r >= 'a' && r <= 'f':
				return 'a' + (r-'a'+2)%6
			}
			return r
		}, value)
	}
	type sent struct {
		attack
		transport
		place int
	}
	var calls []sent
	limited := caller.Caller{Name: attacker, Authenticated: true, Permissions: []caller.Permission{caller.Admin},
		Projects: []string{attackersSite}}
	for _, o := range all() {
		attacks := attacksOn(o, ours, theirs)
		if !o.Permits(limited) {
			attacks = attacks[:1] // refused regardless of its arguments
		}
		for i, a := range attacks {
			for _, over := range transports {
				if i == 0 || over.name == "REST" || over.name == "AuthZEN" ||
					(over.name == "MCP" || over.name == "REST by path") && a.reaches != "project" &&
						a.value == theirs[a.reaches] && a.reaches != "agent_id" {
					calls = append(calls, sent{a, over, i})
				}
			}
		}
	}
	t.Logf("%d attacks", len(calls))
	var one sync.Mutex
	reached := map[string]int{}
	each(calls, func(c sent) {
		r, served := c.send(t, s, attacker, c.operation, c.arguments)
		if !served {
			return
		}
		one.Lock()
		reached[c.name]++
		one.Unlock()
		graphtest.Equal(t,
			leaked(r, unnamed), "", fmt.Sprint("leaked by ", c.operation.Name, " over ", c.name, " with ", c.argument,
				" = ",
				c.value))

		if r.status >= http.StatusInternalServerError && c.operation.Name != "get_agent_card" {
			t.Errorf("%s over %s with %s = %q: %d %s", c.operation.Name, c.name, c.argument, c.value, r.status, r.body)
		}
		if c.reaches == "project" && c.operation.Scope == tools.OfProject && !r.refused() {
			t.Errorf("%s over %s accepts the project %q: %d %s", c.operation.Name, c.name, c.value, r.status, r.body)
		}
		if c.claims && c.name != "AuthZEN" && !r.refused() { // AuthZEN has no such argument
			t.Errorf("%s over %s accepts the agent %q: %d %s", c.operation.Name, c.name, c.value, r.status, r.body)
		}
		if !c.operation.Permits(limited) && !r.refused() {
			t.Errorf("%s over %s is not refused: %d %s", c.operation.Name, c.name, r.status, r.body)
		}
		if c.reaches == "" || c.value != theirs[c.reaches] || c.name != "REST" || taken(c.attack) ||
			!c.operation.Permits(limited) {
			return
		}
		absent := maps.Clone(none)
		absent["session"] = "nobodys-" + c.operation.Name // other callers may start a session with that name
		other, _ := c.send(t, s, attacker, c.operation, attacksOn(c.operation, ours, absent)[c.place].arguments)
		if other.status != r.status {
			t.Errorf("%s with %s: what another project has: got %d %s, what nobody has with %d %s, want status=%v",
				c.operation.Name, c.argument, r.status, r.body, other.status, other.body, r.status)
		}
	})
	for _, over := range transports {
		if reached[over.name] == 0 {
			t.Errorf("nothing was sent over %s", over.name)
		}
	}
	s.resources(t, theirs, unnamed)
	s.pagesOf(t, theirs, unnamed)
	s.settled(t)
	graphtest.Equal(t, s.victims(t), before, "the victim's data")
	graphtest.Equal(t, toolstest.Count(t, s.graph,
		"MATCH (n) WHERE toLower(n.project) CONTAINS 'kumquat' AND toLower(coalesce(n.agent, n.agent_id)) = '"+attacker+
			"' RETURN count(n)"), 0, "nodes created in the victim's project")
}

// resources reads and completes MCP resources and prompts.
func (s *target) resources(t *testing.T, theirs map[string]string, unnamed []string) {
	t.Helper()
	var requests []func() reply
	ask := func(method string, params map[string]any) {
		requests = append(requests, func() reply { return s.mcpRequest(t, attacker, method, params) })
	}
	var listed struct {
		Result struct {
			ResourceTemplates []struct {
				URITemplate string `json:"uriTemplate"`
			} `json:"resourceTemplates"`
		} `json:"result"`
	}
	if err := json.Unmarshal([]byte(s.mcpRequest(t, "root", "resources/templates/list", map[string]any{}).body),
		&listed); err != nil || len(listed.Result.ResourceTemplates) == 0 {
		t.Fatalf("templates: %v", err)
	}
	uris := []string{"cra://session/current"}
	for _, r := range listed.Result.ResourceTemplates {
		variable := placeholder.FindString(r.URITemplate)
		for _, handle := range []string{theirs["decision"], theirs["session"], theirs["verdict"], theirs["approval_id"],
			theirs["atlas_id"], theirs["context_id"], "no-harvest", victim} {
			uris = append(uris, strings.Replace(r.URITemplate, variable, handle, 1))
		}
		for _, prefix := range []string{"", "kumquat", theirs["decision"][:2]} {
			ask("completion/complete", map[string]any{"ref": map[string]any{"type": "ref/resource",
				"uri": r.URITemplate}, "argument": map[string]any{"name": strings.Trim(variable, "{}"),
				"value": prefix}})
		}
	}
	for _, uri := range uris {
		ask("resources/read", map[string]any{"uri": uri})
		ask("subscriptions/listen", map[string]any{"notifications": map[string]any{"resourceSubscriptions": []any{uri +
			"/none"}}})
	}
	for _, p := range tools.Prompts() {
		given := map[string]any{}
		for _, a := range p.Arguments {
			if len(a.Choices) == 0 {
				given[a.Name] = theirs["decision"]
			}
		}
		ask("prompts/get", map[string]any{"name": p.Name, "arguments": given})
		ask("completion/complete", map[string]any{"ref": map[string]any{"type": "ref/prompt", "name": p.Name},
			"argument": map[string]any{"name": "decision", "value": ""}})
	}
	for _, method := range []string{"tools/list", "resources/list", "resources/templates/list", "prompts/list"} {
		ask(method, map[string]any{})
	}
	each(requests, func(request func() reply) {
		graphtest.Equal(t, leaked(request(), append(unnamed, `"`+theirs["session"]+`"`)), "", "leaked by MCP")
	})
}

// placeholder matches a variable in a path.
var placeholder = regexp.MustCompile(`\{[a-z_]+\}`)

// pagesOf requests every page and the server's metadata.
func (s *target) pagesOf(t *testing.T, theirs map[string]string, unnamed []string) {
	t.Helper()
	paths := []string{"/graph?id=" + theirs["decision"], "/decisions?q=kumquat", "/metrics", "/health", "/healthz",
		"/openapi.json", "/.well-known/agent.json"}
	all := url.Values{"q": {"kumquat"}, "name": {"no-harvest"}, "id": {theirs["session"]}, "node": {theirs["decision"]},
		"project": {victimsSite}, "agent_id": {victim}, "session": {theirs["session"]}}.Encode()
	for _, pattern := range s.pages {
		handle := theirs["decision"]
		if strings.HasPrefix(pattern, "/verdict") {
			handle = theirs["verdict"]
		}
		path := placeholder.ReplaceAllString(pattern, handle)
		paths = append(paths, path, path+"?"+all)
	}
	each(paths, func(path string) {
		r := s.send(t, attacker, http.MethodGet, path, "")
		graphtest.Equal(t, leaked(r, unnamed), "", "leaked by "+path)
		if r.status >= http.StatusInternalServerError {
			t.Errorf("%s: got %d %s, want status less than %v", path, r.status, r.body, http.StatusInternalServerError)
		}
	})
}

// TestOtherProject_Events_AreNotSent lets the victim call everything while the attacker receives events.
func TestOtherProject_Events_AreNotSent(t *testing.T) {
	s := open(t)
	s.graph.Exec(t, rules, nil)
	for _, query := range []string{"?type=session", "?type=breaker"} {
		graphtest.Equal(t, s.send(t, attacker, http.MethodGet, "/api/v1/events"+query, "").status, http.StatusForbidden,
			query)
	}
	var streams []*bufio.Scanner
	for _, query := range []string{"", "?type=approval", "?project=" + victimsSite, "?agent_id=" + victim} {
		r := graphtest.Must(http.NewRequestWithContext(t.Context(), http.MethodGet, s.url+"/api/v1/events"+query,
			nil))(t)
		r.Header.Set("Authorization", "Bearer "+tokenOf(attacker))
		answer, err := http.DefaultClient.Do(r)
		if err != nil || answer.StatusCode != http.StatusOK {
			t.Fatal(answer, err)
		}
		t.Cleanup(func() { _ = answer.Body.Close() })
		streams = append(streams, bufio.NewScanner(answer.Body))
	}
	header := http.Header{"Authorization": {"Bearer " + tokenOf(attacker)}}
	events := "ws" + strings.TrimPrefix(s.url, "http") + "/api/v1/events"
	//nolint:bodyclose // Dial replaces the body
	socket, answer, err := websocket.Dial(t.Context(), events, &websocket.DialOptions{HTTPHeader: header})
	if err != nil {
		t.Fatal(answer, err)
	}
	t.Cleanup(func() { _ = socket.CloseNow() })
	_, unnamed := s.seed(t, victim, victimsSite, secret)
	own, _ := s.seed(t, attacker, attackersSite, "apricot")
	next := []func() (string, error){}
	for _, stream := range streams[:2] {
		next = append(next, func() (string, error) {
			if !stream.Scan() {
				return "", fmt.Errorf("the stream ended: %w", stream.Err())
			}
			return stream.Text(), nil
		})
	}
	next = append(next, func() (string, error) {
		_, message, err := socket.Read(t.Context())
		return string(message), err
	})
	for i, last := range []string{own["intent_id"], own["approval_id"],
		own["approval_id"]} { // read each stream until it contains an event after the victim's
		for found := false; !found; {
			text, err := next[i]()
			if err != nil {
				t.Fatalf("stream %d: %v", i, err)
			}
			if shown := leaked(reply{text: text}, append(unnamed, victimsSite, victim)); shown != "" {
				t.Fatalf("an event leaked %s", shown)
			}
			found = strings.Contains(text, last)
		}
	}
}

// TestConcurrentCallers_KeepTheirRights repeats the attacks in batches, compressed, and forty times in parallel.
func TestConcurrentCallers_KeepTheirRights(t *testing.T) {
	s, _, theirs, unnamed := seeded(t)
	before := s.victims(t)
	call := func(method string, params string) string {
		return `{"jsonrpc": "2.0", "id": 1, "method": "` + method + `", "params": ` + params + `}`
	}
	var batch []string
	for method, params := range map[string]string{"cstp.getDecision": `{"id": "` + theirs["decision"] + `"}`,
		"cstp.listDecisions": `{"project": "` + victimsSite + `"}`, "cstp.queryDecisions": `{"query": "kumquat"}`,
		"cstp.recordDecision": `{"decision": "Steal", "confidence": 0.5, "category": "process", "project": "` +
			victimsSite + `"}`,
		"cstp.updateDecision":  `{"id": "` + theirs["decision"] + `", "updates": {"context": "stolen"}}`,
		"cstp.checkGuardrails": `{"action": {"description": "Steal", "project": "` + victimsSite + `"}}`} {
		batch = append(batch, call(method, params), call(method, params))
	}
	question := func(context string) string {
		return `{"subject": {"type": "user", "id": "u"}, "action": {"name": "deploy"}, "resource": {"type": "r", "id": "r"}, "context": ` + context + `}`
	}
	evaluations := `{"evaluations": [` + question(`{"project": "`+victimsSite+`"}`) + `, ` +
		question(`{"project": "`+victimsSite+`", "approval": {"id": "made-up"}}`) + `, ` +
		question(`{"project": "`+victimsSite+`", "approval": {"id": "`+theirs["approval_id"]+`"}}`) + `]}`
	steal := `{"decision": "Steal", "confidence": 0.5, "category": "process", "project": "` + victimsSite + `"}`
	check := `{"description": "Steal", "project": "` + victimsSite + `"}`
	for name, tt := range map[string]struct{ path, body string }{
		"a batch of CSTP":    {"/cstp", "[" + strings.Join(batch, ",") + "]"},
		"a batch of AuthZEN": {"/access/v1/evaluations", evaluations},
		"a recording":        {"/api/v1/decisions", steal},
		"a check":            {"/api/v1/checks", check},
		"gRPC":               {service + "RecordDecision", steal},
	} {
		for _, zipped := range []bool{false, true} {
			n := 40
			if strings.HasPrefix(name, "a batch") || zipped {
				n = 2
			}
			each(make([]struct{}, n), func(struct{}) {
				body, headers := tt.body, []string{}
				if zipped {
					body, headers = compressed(t, body), []string{"Content-Encoding", "gzip"}
				}
				r := s.send(t, attacker, http.MethodPost, tt.path, body, headers...)
				graphtest.Equal(t, leaked(r, unnamed), "", fmt.Sprint("leaked by ", name, ", compressed ", zipped))
				if strings.Contains(r.body, `"allowed":true`) && !strings.HasPrefix(name, "a batch of CSTP") ||
					strings.Contains(r.body, `"decision":true`) || r.status == http.StatusOK &&
					!strings.HasPrefix(name, "a batch") {
					t.Errorf("%s, compressed %v: %d %s", name, zipped, r.status, r.body)
				}
			})
		}
	}
	s.settled(t)
	graphtest.Equal(t, s.victims(t), before, "the victim's data")
}
