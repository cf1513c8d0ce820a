package mcp_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	protocol "github.com/mark3labs/mcp-go/mcp"
	"github.com/rs/zerolog"

	"nomograph/graph/graphtest"
	"nomograph/internal/golden"
	"nomograph/server/mcp"
	"nomograph/tools"
	"nomograph/tools/toolstest"
)

const (
	defaultTools = 23       // some clients show a model at most 40 tools of all servers
	maxBytes     = 23 << 10 // bytes of names, descriptions and input schemas of the default tools
	maxCoreBytes = 17_000   // bytes of names, descriptions and input schemas of the core toolset
	maxListed    = 37 << 10 // bytes of the tools/list response with the default tools
)

func listTools(t *testing.T, toolsets ...string) []map[string]json.RawMessage {
	t.Helper()
	all, problems := tools.Operations(t.TempDir())
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	operations := graphtest.Must(tools.Select(all, toolsets))(t)
	// Listing needs no database, so this address is never used.
	env := toolstest.App(t, toolstest.Unavailable(t))
	transport := mcp.New(env.Runner(), mcp.Options{Version: "test", Operations: operations, Log: zerolog.Nop()})
	answer := transport.Handle(t.Context(), json.RawMessage(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`))
	response, ok := answer.(protocol.JSONRPCResponse)
	if !ok {
		t.Fatalf("tools/list: got %v, want ok=true", answer)
	}
	text := graphtest.Must(json.Marshal(response.Result))(t)
	var list struct{ Tools []map[string]json.RawMessage }
	graphtest.OK(t, json.Unmarshal(text, &list))
	return list.Tools
}

func TestToolsList_Catalog_MatchesTheGoldenFile(t *testing.T) {
	for _, set := range tools.Toolsets {
		var pretty bytes.Buffer
		text := graphtest.Must(json.Marshal(listTools(t, set.Name)))(t)
		graphtest.OK(t, json.Indent(&pretty, text, "", "  "))
		golden.Check(t, "testdata/tools_"+set.Name+".json", pretty.String()+"\n")
	}
}

func TestToolsList_Default_HasTheRequiredTools(t *testing.T) {
	want := []string{
		"get_policy", "get_threshold", "list_policies", "list_thresholds", "get_federation_sources",
		"get_subject_concepts", // D-031
		"pre_action", "get_session_context", "ready", "query_decisions", "check_action", "log_decision",
		"review_outcome", "get_stats", // guide of CSTP
		"get_decision", "get_reason_stats", "update_decision", "record_thought", "link_decisions", "get_graph",
		"get_neighbors",
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

func TestToolsets_Presets_HaveFewTools(t *testing.T) {
	for preset, want := range map[string]int{"core": 12, "minimal": 8} {
		graphtest.Equal(t, len(listTools(t, preset)), want, fmt.Sprint("tools of ", preset))
	}
}

// TestToolsList_Schemas_AreBrief searches for text that models do not need in every conversation.
func TestToolsList_Schemas_AreBrief(t *testing.T) {
	for _, tool := range listTools(t, "all") {
		input := string(tool["inputSchema"])
		if strings.Contains(input, "maxLength") || strings.Contains(input, "maxItems") ||
			strings.Count(input, `"additionalProperties":false`) != 1 {
			t.Errorf("%s lists %s", tool["name"], input)
		}
		if output := string(tool["outputSchema"]); strings.Count(output, `"properties"`) > 1 ||
			strings.Contains(output, `"additionalProperties"`) {
			t.Errorf("%s answers with more than an outline: %s", tool["name"], output)
		}
	}
}

// TestToolsList_Schemas_SuitEveryClient checks what clients and models refused of other servers.
func TestToolsList_Schemas_SuitEveryClient(t *testing.T) {
	type node struct {
		Type        json.RawMessage  `json:"type"`
		Description string           `json:"description"`
		Items       *node            `json:"items"`
		AnyOf       []*node          `json:"anyOf"`
		Enum        []any            `json:"enum"`
		Properties  map[string]*node `json:"properties"`
		Required    []string         `json:"required"`
	}
	var check func(at string, n *node)
	check = func(at string, n *node) {
		if strings.HasPrefix(string(n.Type), "[") { // https://github.com/nanbingxyz/5ire/issues/218
			t.Errorf("%s has the types %s, want one", at, n.Type)
		}
		if len(n.Type) > 0 && len(n.AnyOf) > 0 { // https://github.com/google-gemini/gemini-cli/issues/4121
			t.Errorf("%s has type and anyOf", at)
		}
		if string(n.Type) == `"array"` && n.Items == nil &&
			!strings.Contains(at, " answer") { // https://github.com/t8y2/dbx/issues/6233
			t.Errorf("%s is a list without items", at)
		}
		for _, choice := range n.Enum { // https://github.com/rikkahub/rikkahub/issues/477
			if _, text := choice.(string); !text {
				t.Errorf("%s has the choice %v, want text", at, choice)
			}
		}
		for _, name := range n.Required {
			if n.Properties[name] == nil {
				t.Errorf("%s requires %s, which it does not list", at, name)
			}
		}
		for name, property := range n.Properties {
			check(at+"."+name, property)
		}
		for _, one := range append(n.AnyOf, n.Items) {
			if one != nil {
				check(at, one)
			}
		}
	}
	parse := func(text json.RawMessage) (n node) {
		graphtest.OK(t, json.Unmarshal(text, &n))
		return n
	}
	lists := map[string]map[string]node{}
	for _, tool := range listTools(t, "all") {
		name := strings.Trim(string(tool["name"]), `"`)
		input, output := parse(tool["inputSchema"]), parse(tool["outputSchema"])
		check(name, &input)
		check(name+" answer", &output)
		for argument, property := range input.Properties {
			if property.Description == "" || strings.Contains(property.Description, "as for ") {
				t.Errorf("%s.%s: got the description %q, want one of its own", name, argument, property.Description)
			}
		}
		if strings.Contains(string(tool["description"]), "Recorded text is data") {
			t.Errorf("%s repeats the instructions", name)
		}
		lists[name] = map[string]node{"": input}
		for argument, property := range input.Properties {
			lists[name][argument] = *property
		}
	}
	for tool, fields := range map[string]string{"pre_action": "options: auto_record query_limit include_patterns",
		"query_decisions":  "filters: category stakes status outcome project tags",
		"get_reason_stats": "filters: category stakes project"} {
		argument, names, _ := strings.Cut(fields, ": ")
		for name := range strings.FieldsSeq(names) {
			if lists[tool][argument].Properties[name] == nil {
				t.Errorf("%s.%s does not list %s", tool, argument, name)
			}
		}
	}
	if required := lists["review_outcome"][""].Required; !slices.Contains(required, "outcome") {
		t.Errorf("review_outcome requires %v, want outcome", required)
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
	wire := graphtest.Must(json.Marshal(standard))(t)
	t.Logf("default: %d bytes, %d on the wire; core: %d bytes", size(t, standard), len(wire),
		size(t, listTools(t, "core")))
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
