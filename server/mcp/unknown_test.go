package mcp_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/rs/zerolog"

	"nomograph/graph/graphtest"
	"nomograph/server/mcp"
	"nomograph/tools"
	"nomograph/tools/toolstest"
)

// overStdio sends one request after initialization with 2025-06-18 and returns the answer.
func overStdio(t *testing.T, env *tools.App, operations []tools.Operation, request string) map[string]any {
	t.Helper()
	transport := mcp.New(env.Runner(), mcp.Options{Version: "test", Operations: operations, Log: zerolog.Nop()})
	var out bytes.Buffer
	in := `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}` + "\n" + request + "\n"
	graphtest.OK(t, transport.ServeStdio(t.Context(), strings.NewReader(in), &out))
	for _, line := range strings.Split(out.String(), "\n") {
		var answer map[string]any
		if json.Unmarshal([]byte(line), &answer) == nil && answer["id"] == 1.0 {
			return answer
		}
	}
	t.Fatalf("no answer in %s", out.String())
	return nil
}

func TestCall_UnknownTool_SuggestsNearestNames(t *testing.T) {
	env := toolstest.App(t, toolstest.Unavailable(t))
	served := graphtest.Must(tools.Select(tools.Catalog, []string{"default"}))(t)
	for name, want := range map[string]string{"query_decision": "query_decisions",
		"set_threshold": "nomograph threshold set", "no_such_thing_at_all": "tools/list"} {
		answer := overStdio(t, env, served, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"`+name+
			`","arguments":{}}}`)
		failure, _ := answer["error"].(map[string]any)
		data, _ := failure["data"].(map[string]any)
		details, _ := data["details"].(map[string]any)
		_, listed := details["nearest"].([]any)
		if hint, _ := data["hint"].(string); failure["code"] != -32602.0 || data["error"] != "not_found" ||
			!strings.Contains(hint, want) || !listed || !strings.Contains(failure["message"].(string), name) {
			t.Errorf("got %s, %v, want code=-32602.0, error=not_found, hint with %q, listed=true, message with %q",
				name, answer, want, name)
		}
	}
}

func TestSessionContext_AsMarkdown_IsTheTextToInject(t *testing.T) {
	g, env := toolstest.Open(t)
	toolstest.ApplyShipped(t, g, "core")
	answer := overStdio(t, env, tools.Catalog, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_session_context","arguments":{"task_description":"Move the database"}}}`)
	result, _ := answer["result"].(map[string]any)
	content, _ := result["content"].([]any)
	structured, _ := result["structuredContent"].(map[string]any)
	if len(content) != 1 || structured["markdown"] == nil ||
		content[0].(map[string]any)["text"] != structured["markdown"] ||
		!strings.Contains(content[0].(map[string]any)["text"].(string), "\n## ") {
		t.Errorf("got %v, want len(content)=1, non-nil markdown, text=%v, text with %q", answer, structured["markdown"],
			"\n## ")
	}
	answer = overStdio(t, env, tools.Catalog, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_session_context","arguments":{"format":"json"}}}`)
	result, _ = answer["result"].(map[string]any)
	if text := result["content"].([]any)[0].(map[string]any)["text"].(string); !json.Valid([]byte(text)) {
		t.Errorf("got %s, want JSON", text)
	}
}
