package mcp

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"nomograph/graph/graphtest"
)

// TestMCPGo_SchemaValidation_RefusesWrongArguments: this module replaces the JSON Schema library of mcp-go. Nomograph
// checks arguments itself, so only this test turns on the validation of mcp-go.
func TestMCPGo_SchemaValidation_RefusesWrongArguments(t *testing.T) {
	s := server.NewMCPServer("test", "1", server.WithInputSchemaValidation())
	s.AddTool(mcp.NewToolWithRawSchema("add", "",
		json.RawMessage(`{"type":"object","required":["a"],"additionalProperties":false,
		"properties":{"a":{"$ref":"#/$defs/small"},"b":{"type":"string","pattern":"^x"}},"$defs":{"small":{"type":"integer","maximum":9}}}`)),
		func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return mcp.NewToolResultText("done"), nil
		})
	for arguments, want := range map[string]string{
		`{"a":3}`: "done", `{"a":3,"b":"x1"}`: "done",
		`{}`: "required", `{"a":10}`: "maximum", `{"a":1.5}`: `want \"integer\"`, `{"a":"3"}`: `want \"integer\"`,
		`{"a":3,"b":"y"}`: "pattern", `{"a":3,"c":1}`: "additional",
	} {
		answer := graphtest.Must(json.Marshal(s.HandleMessage(t.Context(),
			json.RawMessage(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"add","arguments":`+
				arguments+`}}`))))(t)
		if got := string(answer); !strings.Contains(got, want) || strings.Contains(got, "done") != (want == "done") ||
			strings.Contains(got, "input schema validation failed") == (want == "done") {
			t.Errorf("%s: got %s, want %s", arguments, got, want)
		}
	}
}
