package mcp_test

import (
	"bufio"
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

// TestMemoryTools_Errors_MatchTheSourceDocument sends requests that fail before the database is used. Memory tools
// return a protocol error that names the tool, reconstruct returns text, and all others a tool error.
func TestMemoryTools_Errors_MatchTheSourceDocument(t *testing.T) {
	env := toolstest.App(t, toolstest.Unavailable(t))
	transport := mcp.New(env.Runner(), mcp.Options{Version: "test", Operations: tools.Catalog, Log: zerolog.Nop()})
	var out bytes.Buffer
	in := strings.Join([]string{
		`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"recall","arguments":{"query":"x","max_tokens":10}}}`,
		`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"reconstruct","arguments":{"project":"x","previous_session":true}}}`,
		`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"get_threshold","arguments":{}}}`,
		`{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"list-sessions","arguments":{"project":"x","from":"2025-02-02","to":"2025-02-01"}}}`,
	}, "\n") + "\n"
	graphtest.OK(t, transport.ServeStdio(t.Context(), strings.NewReader(in), &out))
	type answer struct {
		ID    int
		Error *struct {
			Code    int
			Message string
			Data    struct{ Error string }
		}
		Result struct {
			IsError bool
			Content []struct{ Text string }
		}
	}
	got := map[int]answer{}
	for lines := bufio.NewScanner(&out); lines.Scan(); {
		var a answer
		if err := json.Unmarshal(lines.Bytes(), &a); err != nil {
			t.Fatalf("got %v: %s, want no error", err, lines.Text())
		}
		got[a.ID] = a
	}
	for id, begins := range map[int]string{1: "Tool 'recall' failed: ",
		4: "Tool 'list-sessions' failed: The range ends before it starts"} {
		if e := got[id].Error; e == nil || e.Code != -32002 || !strings.HasPrefix(e.Message, begins) ||
			e.Data.Error != "validation_error" {
			t.Errorf("%d: got %+v, want non-nil e, Code=-32002, Message that starts with %q, Error=validation_error",
				id, got[id], begins)
		}
	}
	if a := got[2]; a.Error != nil || !a.Result.IsError ||
		!strings.HasPrefix(a.Result.Content[0].Text, "Error: `previous_session` requires `current_session_id`") {
		t.Errorf("got %+v, want Error=nil, IsError=true, Text that starts with %q", a,
			"Error: `previous_session` requires `current_session_id`")
	}
	if a := got[3]; a.Error != nil || !a.Result.IsError ||
		!strings.HasPrefix(a.Result.Content[0].Text, `{"error":"validation_error"`) {
		t.Errorf(`got %+v, want Error=nil, IsError=true, Text starting with {"error":"validation_error"`, a)
	}
}
