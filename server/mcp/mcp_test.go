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

	"nomograph/graph"
	"nomograph/internal/golden"
	"nomograph/server/mcp"
	"nomograph/tools"
)

const (
	fewerThan = 40     // of the default tools: some clients show no more
	maxBytes  = 34_500 // what a model may pay for the default tools: names, descriptions and input schemas
	maxListed = 62_500 // bytes of tools/list of the default tools over the wire
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
	// The list needs no database: this one is never reached.
	env := tools.NewEnv(graph.Open(graph.Options{URI: "bolt://127.0.0.1:1", Log: zerolog.Nop()}), tools.Options{Log: zerolog.Nop()})
	door := mcp.New(env.Runner(), mcp.Options{Version: "test", Operations: operations, Log: zerolog.Nop()})
	answer := door.Handle(t.Context(), json.RawMessage(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`))
	response, ok := answer.(protocol.JSONRPCResponse)
	if !ok {
		t.Fatalf("tools/list is answered with %v", answer)
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

func TestToolsListIsTheGoldenFile(t *testing.T) {
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

// TestTheDefaultToolsAreThoseThatTheSourcesName holds the default surface to what the source documents name (CSTP's guide, D-031, the Context
// Registry for Agents, Causantic's reference), and the two that read circuit breakers. What goes beyond them sits in toolsets that are one flag away.
func TestTheDefaultToolsAreThoseThatTheSourcesName(t *testing.T) {
	want := []string{
		"pre_action", "get_session_context", "ready", "query_decisions", "check_action", "log_decision", "review_outcome", "get_stats",
		"get_decision", "get_reason_stats", "update_decision", "record_thought", "link_decisions", "get_graph", "get_neighbors",
		"get_circuit_state", "list_breakers",
		"get_policy", "get_threshold", "list_policies", "list_thresholds", "get_federation_sources", "get_subject_concepts", "run_cypher_readonly",
		"cra_start_session", "cra_request_context", "cra_report_action", "cra_feedback", "cra_end_session", "cra_search_contexts", "cra_list_atlases",
		"recall", "explain", "predict", "list-projects", "list-sessions", "reconstruct", "remember",
	}
	var got []string
	for _, tool := range listTools(t, "default") {
		got = append(got, strings.Trim(string(tool["name"]), `"`))
	}
	slices.Sort(want)
	slices.Sort(got)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if len(got) >= fewerThan {
		t.Errorf("%d tools are served by default, and there have to be fewer than %d", len(got), fewerThan)
	}
}

func TestCoreStaysADozen(t *testing.T) {
	if n := len(listTools(t, "core")); n > 13 {
		t.Errorf("core has %d tools", n)
	}
}

// TestListedSchemasAreBrief looks for what no model needs to be told in every conversation.
func TestListedSchemasAreBrief(t *testing.T) {
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

func TestTheDefaultToolsAreCheap(t *testing.T) {
	list, err := json.Marshal(listTools(t, "default"))
	if err != nil {
		t.Fatal(err)
	}
	if len(list) > maxListed {
		t.Errorf("tools/list takes %d bytes, more than %d", len(list), maxListed)
	}
	size := 0
	for _, tool := range listTools(t, "default") {
		for _, part := range []string{"name", "description", "inputSchema"} {
			if len(tool[part]) == 0 {
				t.Errorf("%s has no %s", tool["name"], part)
			}
			size += len(tool[part])
		}
	}
	if size > maxBytes {
		t.Errorf("the default tools cost %d bytes, more than %d", size, maxBytes)
	}
}

func TestEveryToolHasAllFourHints(t *testing.T) {
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
