package main_test

import (
	"encoding/json"
	"os"
	"strconv"
	"strings"
	"testing"

	"nomograph/graph/graphtest"
	"nomograph/tools/toolstest"
)

func withPacks(t *testing.T) *graphtest.Graph {
	t.Helper()
	g := graphtest.New(t)
	toolstest.ApplyShipped(t, g, "core", "chrystallum")
	return g
}

func TestServe_EveryRevision_IsAnswered(t *testing.T) {
	g := withPacks(t)
	for _, revision := range []string{"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"} {
		t.Run(revision, func(t *testing.T) {
			c := graphtest.Start(t, g.Environ(t), graphtest.Binary(t), "serve")
			m := c.Initialize(revision)
			graphtest.Equal[any](t, m.Result["protocolVersion"], revision, "protocol")
			graphtest.Equal(t, m.Result["serverInfo"].(map[string]any)["name"], "nomograph", "name")
			askForFacet(t, c)
			if content, failed := c.Call("get_policy", map[string]any{"name": "none"}); !failed ||
				content["error"] != "not_found" {
				t.Errorf("got the error %v", content)
			}
			graphtest.Equal(t, c.Close(), 0, "exit code")
		})
	}
	t.Run("2026-07-28", func(t *testing.T) {
		c := graphtest.Start(t, g.Environ(t), graphtest.Binary(t), "serve")
		meta := map[string]any{"io.modelcontextprotocol/protocolVersion": "2026-07-28",
			"io.modelcontextprotocol/clientCapabilities": map[string]any{},
			"io.modelcontextprotocol/clientInfo":         map[string]any{"name": "modern", "version": "1"}}
		discovered := c.Request("server/discover", map[string]any{"_meta": meta})
		if discovered.Error != nil || !strings.Contains(discovered.Result["instructions"].(string), "get_threshold") {
			t.Errorf("discover: %+v", discovered)
		}
		m := c.Request("tools/call", map[string]any{"name": "get_policy",
			"arguments": map[string]any{"name": "NoTemporalFacet"}, "_meta": meta})
		if m.Error != nil || m.Result["structuredContent"].(map[string]any)["facet_key"] != "TEMPORAL" {
			t.Errorf("a call without a handshake: %+v", m)
		}
		m = c.Request("tools/call", map[string]any{"name": "get_policy", "arguments": map[string]any{"name": "none"},
			"_meta": meta})
		if content, failed := c.Content(m); !failed || content["error"] != "not_found" {
			t.Errorf("got the error %v", content)
		}
	})
}

// askForFacet sends the question of the acceptance test in the source document.
func askForFacet(t *testing.T, c *graphtest.Client) {
	t.Helper()
	m := c.Request("tools/call", map[string]any{"name": "get_policy",
		"arguments": map[string]any{"name": "NoTemporalFacet"}})
	structured := m.Result["structuredContent"].(map[string]any)
	if structured["facet_key"] != "TEMPORAL" || structured["active"] != true {
		t.Errorf("get_policy: %v", structured)
	}
	text := m.Result["content"].([]any)[0].(map[string]any)["text"].(string)
	var same map[string]any
	if err := json.Unmarshal([]byte(text), &same); err != nil || same["facet_key"] != "TEMPORAL" {
		t.Errorf("the text differs: %s", text)
	}
}

func TestServe_InvalidInput_KeepsRunning(t *testing.T) {
	g := withPacks(t)
	c := graphtest.Start(t, g.Environ(t), graphtest.Binary(t), "serve")
	c.Initialize("2025-06-18")

	c.Send("")
	c.Send("   \t ")
	for _, line := range []string{"this is no JSON", `{"jsonrpc": "2.0", "id": 7, "method"`, "\x00\x01",
		strings.Repeat("x", 9<<20)} {
		c.Send(line)
		var m graphtest.Message
		if err := json.Unmarshal([]byte(c.Line()), &m); err != nil || m.Error == nil || m.Error.Code != -32700 {
			t.Errorf("%.30q: got %+v, want the error -32700", line, m)
		}
	}
	if m := c.Request("no/such/method", nil); m.Error == nil || m.Error.Code != -32601 {
		t.Errorf("an unknown method: got %+v, want the error -32601", m)
	}
	if m := c.Request("tools/call", map[string]any{"name": "no_such_tool"}); m.Error == nil || m.Error.Code != -32602 {
		t.Errorf("an unknown tool: got %+v, want the error -32602", m)
	}
	if content, failed := c.Call("get_policy", map[string]any{"nmae": "x"}); !failed ||
		content["error"] != "validation_error" ||
		!strings.Contains(content["message"].(string), "Allowed: as_of, name, scope") {
		t.Errorf("an unknown argument: %v", content)
	}
	name := `x'}) DETACH DELETE n //`
	if content, failed := c.Call("get_policy", map[string]any{"name": name}); !failed ||
		content["error"] != "not_found" ||
		content["message"] != "SYS_Policy node '"+name+"' not found" {
		t.Errorf("a name with Cypher in it: got %v, want failed=true, error=not_found, message=%v", content,
			"SYS_Policy node '"+name+"' not found")
	}
	askForFacet(t, c)
}

func TestServe_Toolsets_LimitTheTools(t *testing.T) {
	environ := append(graphtest.BareEnviron(t), "NEO4J_URI=bolt://127.0.0.1:1")
	count := func(environ []string, args ...string) int {
		c := graphtest.Start(t, environ, graphtest.Binary(t), append([]string{"serve"}, args...)...)
		c.Initialize("2025-06-18")
		return len(c.Request("tools/list", nil).Result["tools"].([]any))
	}
	standard, policy, all := count(environ), count(environ, "--toolsets", "policy"),
		count(append(environ, "NOMOGRAPH_TOOLSETS=all"))
	if policy >= standard || standard >= all {
		t.Errorf("policy %d, default %d, all %d tools", policy, standard, all)
	}
	session(t, environ, "$ serve --toolsets polcy # 2\nerr policy")
}

func TestServe_NoDatabase_AnswersInitialize(t *testing.T) {
	environ := append(graphtest.BareEnviron(t), "NEO4J_URI=bolt://127.0.0.1:1", "NEO4J_PASSWORD=s3cret-of-mine")
	c := graphtest.Start(t, environ, graphtest.Binary(t), "serve")
	c.Initialize("2025-06-18")
	if m := c.Request("tools/list", nil); len(m.Result["tools"].([]any)) == 0 {
		t.Error("no tools are listed")
	}
	for range 2 { // each call fails, and the server continues
		content, failed := c.Call("get_threshold", map[string]any{"name": "x", "default": 1})
		if !failed || content["error"] != "unavailable" || content["hint"] == "" {
			t.Errorf("a call without a database: got %v, want an error and not the default", content)
		}
	}
	if _, open := c.Request("ping", nil).Result["x"]; open {
		t.Error("ping")
	}
}

func TestServe_NoJava_SaysWhatToInstall(t *testing.T) {
	environ := append(graphtest.BareEnviron(t), "PATH="+t.TempDir(), "NOMOGRAPH_ENGINE_MIRROR=http://127.0.0.1:1")
	c := graphtest.Start(t, environ, graphtest.Binary(t), "serve")
	c.Initialize("2025-06-18")
	content, failed := c.Call("list_policies", nil)
	if !failed || content["error"] != "unavailable" || !strings.Contains(content["hint"].(string), "NEO4J_URI") {
		t.Errorf("without Java: %v", content)
	}
	if m := c.Request("tools/list", nil); len(m.Result["tools"].([]any)) == 0 {
		t.Error("the server does not answer any more")
	}
}

func TestServe_PipedRequests_AreAllAnswered(t *testing.T) {
	g := withPacks(t)
	var in strings.Builder
	in.WriteString(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"pipe","version":"1"}}}` + "\n")
	const questions = 50
	for i := range questions {
		line, _ := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": i + 1, "method": "tools/call",
			"params": map[string]any{"name": "get_policy", "arguments": map[string]any{"name": "NoTemporalFacet"}}})
		in.Write(append(line, '\n'))
	}
	stdout, _, code := graphtest.Run(t, g.Environ(t), strings.NewReader(in.String()), graphtest.Binary(t), "serve")
	if got := strings.Count(stdout, `"facet_key":"TEMPORAL"`); got != questions || code != 0 {
		t.Errorf("%d of %d questions were answered, exit %d", got, questions, code)
	}
}

func TestServe_Killed_LosesNothing(t *testing.T) {
	g := withPacks(t)
	environ := append(g.Environ(t), "NOMOGRAPH_TOOLSETS=all")
	c := graphtest.Start(t, environ, graphtest.Binary(t), "serve")
	c.Initialize("2025-06-18")
	content, failed := c.Call("set_threshold", map[string]any{"name": "claim_promotion_confidence", "value": 0.93,
		"reason": "tried"})
	if failed || content["changed"] != true {
		t.Fatalf("set_threshold: %v", content)
	}
	c.Kill()
	c = graphtest.Start(t, environ, graphtest.Binary(t), "serve")
	c.Initialize("2025-06-18")
	if content, _ := c.Call("get_threshold", map[string]any{"name": "claim_promotion_confidence"}); content["value"] != 0.93 {
		t.Errorf("after the kill: got %v, want 0.93", content["value"])
	}
	rows := g.Rows(t, "MATCH (:SYS_Threshold {name: 'claim_promotion_confidence'})-[:CHANGED]->(c) WHERE c.why = 'tried' RETURN c.by AS by, c.kind AS kind", nil)
	if len(rows) != 1 || rows[0]["by"] != "test-client" || rows[0]["kind"] != "applied" {
		t.Errorf("the history is %v", rows)
	}
}

func TestServe_Resources_AreReadAndCompleted(t *testing.T) {
	g := withPacks(t)
	c := graphtest.Start(t, g.Environ(t), graphtest.Binary(t), "serve")
	c.Initialize("2025-06-18")
	m := c.Request("resources/read", map[string]any{"uri": "nomograph://threshold/claim_promotion_confidence"})
	graphtest.Contains(t, m.Result["contents"].([]any)[0].(map[string]any)["text"].(string), `"value":0.9`)
	m = c.Request("completion/complete", map[string]any{"ref": map[string]any{"type": "ref/resource",
		"uri": "nomograph://policy/{name}"},
		"argument": map[string]any{"name": "name", "value": "NoT"}})
	if values := m.Result["completion"].(map[string]any)["values"].([]any); len(values) != 1 ||
		values[0] != "NoTemporalFacet" {
		t.Errorf("NoT: got the completions %v", values)
	}
	if m := c.Request("resources/read", map[string]any{"uri": "nomograph://policy/none"}); m.Error == nil ||
		!strings.Contains(m.Error.Message, "SYS_Policy node 'none' not found") {
		t.Errorf("a missing resource: %+v", m)
	}
}

func TestServe_CallBeforeTheEngine_WaitsWithProgress(t *testing.T) {
	if testing.Short() {
		t.Skip("starts an engine of its own")
	}
	environ := append(graphtest.BareEnviron(t), "NOMOGRAPH_ENGINE_IDLE=1s", "NOMOGRAPH_ENGINE_CACHE="+
		graphtest.Options(t).Defaults().Cache)
	c := graphtest.Start(t, environ, graphtest.Binary(t), "serve")
	c.Initialize("2025-06-18")
	var shown []string
	const token = `the "first"` // escaped in JSON, as every token that the library would not return as it came
	m := c.Request("tools/call", map[string]any{"name": "list_policies", "arguments": map[string]any{},
		"_meta": map[string]any{"progressToken": token}},
		func(n graphtest.Message) {
			if n.Method == "notifications/progress" && n.Params["progressToken"] == token {
				shown = append(shown, n.Params["message"].(string))
			}
		})
	if m.Error != nil || m.Result["isError"] == true {
		t.Fatalf("the call: %+v", m)
	}
	if len(shown) == 0 {
		t.Error("no progress was reported")
	}
	// The first start applies the pack core.
	if total := m.Result["structuredContent"].(map[string]any)["total"].(float64); total < 5 {
		t.Errorf("a new graph has %v policies", total)
	}

	// A call after the engine was killed also starts it; the check must not fail because of that.
	if m := c.Request("tools/call", map[string]any{"name": "check_action",
		"arguments": map[string]any{"description": "before"}}); m.Result["isError"] == true {
		t.Fatalf("got %+v, want isError other than true", m)
	}
	pid := graphtest.Must(strconv.Atoi(printed(t, environ, "engine", "status", "--field", "pid")))(t)
	if p, err := os.FindProcess(pid); err != nil || p.Kill() != nil {
		t.Fatalf("process %d: %v", pid, err)
	}
	m = c.Request("tools/call", map[string]any{"name": "check_action",
		"arguments": map[string]any{"description": "after"}})
	if m.Error != nil || m.Result["isError"] == true ||
		m.Result["structuredContent"].(map[string]any)["allowed"] != true {
		t.Errorf("after the engine was killed: %+v", m)
	}

	c.Close()
	graphtest.Until(t, "the unused engine stops", func() bool {
		return printed(t, environ, "engine", "status", "--field", "state") == "stopped"
	})
}
