package mcp_test

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	protocol "github.com/mark3labs/mcp-go/mcp"
	"github.com/rs/zerolog"

	"nomograph/internal/golden"
	"nomograph/server/mcp"
	"nomograph/tools"
	"nomograph/tools/toolstest"
)

const (
	defaultTools = 23     // some clients show a model at most 40 tools of all servers
	maxBytes     = 23_000 // bytes of names, descriptions and input schemas of the default tools
	maxCoreBytes = 12_000 // bytes of names, descriptions and input schemas of the core toolset
	maxListed    = 37_000 // bytes of the tools/list response with the default tools
)

func listTools(t *testing.T, toolsets ...string) []map[string]json.RawMessage {
	t.Helper()
	all, problems := tools.Operations(t.TempDir())
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	operations, err := tools.Select(all, toolsets)
	if err != nil {
		t.Fatal(err)
	}
	// Listing needs no database, so this address is never used.
	env := toolstest.App(t, toolstest.Unavailable(t))
	transport := mcp.New(env.Runner(), mcp.Options{Version: "test", Operations: operations, Log: zerolog.Nop()})
	answer := transport.Handle(t.Context(), json.RawMessage(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`))
	response, ok := answer.(protocol.JSONRPCResponse)
	if !ok {
		t.Fatalf("tools/list: got %v, want ok=true", answer)
	}
	text, err := json.Marshal(response.Result)
	if err != nil {
		t.Fatal(err)
	}
	var list struct{ Tools []map[string]json.RawMessage }
	if err := json.Unmarshal(text, &list); err != nil {
		t.Fatal(err)
	}
	return list.Tools
}

func TestToolsList_Catalog_MatchesTheGoldenFile(t *testing.T) {
	for _, set := range tools.Toolsets {
		var pretty bytes.Buffer
		text, err := json.Marshal(listTools(t, set.Name))
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Indent(&pretty, text, "", "  "); err != nil {
			t.Fatal(err)
		}
		golden.Check(t, "testdata/tools_"+set.Name+".json", pretty.String()+"\n")
	}
}

func TestToolsList_Default_HasTheRequiredTools(t *testing.T) {
	want := []string{
		"get_policy", "get_threshold", "list_policies", "list_thresholds", "get_federation_sources", "get_subject_concepts", // D-031
		"pre_action", "get_session_context", "ready", "query_decisions", "check_action", "log_decision", "review_outcome", "get_stats", // guide of CSTP
		"get_decision", "get_reason_stats", "update_decision", "record_thought", "link_decisions", "get_graph", "get_neighbors",
		"run_cypher_readonly", "find_tools",
	}
	var got []string
	for _, tool := range listTools(t, "default") {
		got = append(got, strings.Trim(string(tool["name"]), `"`))
	}
	slices.Sort(want)
	slices.Sort(got)
	if diff := cmp.Diff(want, got); diff != "" || len(got) != defaultTools {
		t.Errorf("%d tools: %s", len(got), diff)
	}
}

func TestToolsets_Core_HasADozenTools(t *testing.T) {
	if n := len(listTools(t, "core")); n > 13 {
		t.Errorf("core has %d tools", n)
	}
}

// TestToolsList_Schemas_AreBrief searches for text that models do not need in every conversation.
func TestToolsList_Schemas_AreBrief(t *testing.T) {
	for _, tool := range listTools(t, "all") {
		input := string(tool["inputSchema"])
		if strings.Contains(input, "maxLength") || strings.Contains(input, "maxItems") || strings.Count(input, `"additionalProperties":false`) != 1 {
			t.Errorf("%s lists %s", tool["name"], input)
		}
		if output := string(tool["outputSchema"]); strings.Count(output, `"properties"`) > 1 || strings.Contains(output, `"additionalProperties"`) {
			t.Errorf("%s answers with more than an outline: %s", tool["name"], output)
		}
	}
}

// size returns the bytes that a model reads: names, descriptions and input schemas.
func size(t *testing.T, list []map[string]json.RawMessage) int {
	t.Helper()
	sum := 0
	for _, tool := range list {
		for _, part := range []string{"name", "description", "inputSchema"} {
			if len(tool[part]) == 0 {
				t.Errorf("%s has no %s", tool["name"], part)
			}
			sum += len(tool[part])
		}
	}
	return sum
}

func TestToolsList_DefaultAndCore_StaySmall(t *testing.T) {
	standard := listTools(t, "default")
	wire, err := json.Marshal(standard)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("default: %d bytes, %d on the wire; core: %d bytes", size(t, standard), len(wire), size(t, listTools(t, "core")))
	if len(wire) > maxListed {
		t.Errorf("got %d bytes on the wire, want at most %d", len(wire), maxListed)
	}
	if got := size(t, standard); got > maxBytes {
		t.Errorf("default: got %d bytes, want at most %d", got, maxBytes)
	}
	if got := size(t, listTools(t, "core")); got > maxCoreBytes {
		t.Errorf("core: got %d bytes, want at most %d", got, maxCoreBytes)
	}
}

func TestToolsList_EveryTool_HasFourHints(t *testing.T) {
	for _, tool := range listTools(t, "all") {
		for _, hint := range []string{"readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"} {
			if !strings.Contains(string(tool["annotations"]), hint) {
				t.Errorf("%s lacks %s", tool["name"], hint)
			}
		}
		if len(tool["outputSchema"]) == 0 {
			t.Errorf("%s has no output schema", tool["name"])
		}
	}
}
