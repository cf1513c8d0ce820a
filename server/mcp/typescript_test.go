package mcp_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"nomograph/graph/graphtest"
	"nomograph/tools"
	"nomograph/tools/toolstest"
)

// scriptAnswer is the result that the SDK returns.
type scriptAnswer struct {
	Result struct {
		IsError           bool
		Content           []struct{ Text string }
		StructuredContent map[string]any
	}
	Thrown *struct {
		Code    int
		Message string
		Data    map[string]any
	}
}

// typescript makes calls with MCP's official TypeScript SDK, which `make test` installs into the user's cache
// directory.
func typescript(t *testing.T, g *graphtest.Graph, calls []map[string]any) (listed []string, answers []scriptAnswer) {
	t.Helper()
	node, modules := toolstest.NPM(t)
	dir := t.TempDir() // Node resolves modules relative to the importing file
	script, err := os.ReadFile(filepath.Join("testdata", "clients", "typescript.mjs"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "client.mjs"), script, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(modules, filepath.Join(dir, "node_modules")); err != nil {
		t.Fatal(err)
	}
	input, err := json.Marshal(calls)
	if err != nil {
		t.Fatal(err)
	}
	stdout, stderr, code := graphtest.Run(t, g.Environ(t), bytes.NewReader(input), node,
		filepath.Join(dir, "client.mjs"), graphtest.Binary(t), "serve")
	var out struct {
		Tools   []string
		Answers []scriptAnswer
	}
	if err := json.Unmarshal([]byte(stdout), &out); err != nil || code != 0 || len(out.Answers) != len(calls) {
		t.Fatalf("the client ends with %d (%v)\n%s\n%s", code, err, stdout, stderr)
	}
	return out.Tools, out.Answers
}

// TestTypeScriptSDK_Errors_AreReceived calls every default tool once successfully and once with an error.
func TestTypeScriptSDK_Errors_AreReceived(t *testing.T) {
	g := graphtest.New(t)
	toolstest.ApplyShipped(t, g, "core", "chrystallum")
	g.Exec(t, `CREATE (:Decision {uid: 'u1', id: 'aaaa0001', decision: 'Cache for a day', confidence: 0.7, status: 'pending', created_at: datetime()}),
		(:Decision {uid: 'u2', id: 'aaaa0002', decision: 'Cache for an hour', created_at: datetime()})`, nil)
	cases := []struct{ tool, succeeds, fails, code string }{
		{"pre_action", `{"action": {"description": "Use X", "category": "process", "confidence": 0.9}}`, `{}`,
			"validation_error"},
		{"get_session_context", `{}`, `{"format": "xml"}`, "validation_error"},
		{"ready", `{}`, `{"limit": 0}`, "validation_error"},
		{"query_decisions", `{"query": "cache"}`, `{}`, "validation_error"},
		{"check_action", `{"description": "Deploy", "stakes": "high", "confidence": 0.1}`,
			`{"description": "Deploy", "confidence": 2}`, "validation_error"},
		{"log_decision", `{"decision": "Use Y", "category": "process", "confidence": 0.9}`,
			`{"decision": "Use Y", "category": "process", "confidence": 0.9, "review_in": "soon"}`, "validation_error"},
		{"review_outcome", `{"id": "aaaa0001", "outcome": "success"}`, `{"id": "ffff0000", "outcome": "success"}`,
			"not_found"},
		{"get_stats", `{}`, `{"window": "7d"}`, "validation_error"},
		{"get_decision", `{"id": "aaaa0001"}`, `{"id": "aaaa"}`, "conflict"},
		{"get_reason_stats", `{}`, `{"min_reviewed": 0}`, "validation_error"},
		{"update_decision", `{"id": "aaaa0001", "tags": ["cache"]}`, `{"id": "ffff0000", "tags": ["cache"]}`,
			"not_found"},
		{"record_thought", `{"text": "An hour may do"}`, `{}`, "validation_error"},
		{"link_decisions", `{"source_id": "aaaa0001", "target_id": "aaaa0002", "edge_type": "supersedes"}`,
			`{"source_id": "aaaa0001", "target_id": "ffff0000", "edge_type": "blocks"}`, "not_found"},
		{"get_graph", `{"node_id": "aaaa0001"}`, `{"node_id": "ffff0000"}`, "not_found"},
		{"get_neighbors", `{"node_id": "aaaa0001"}`, `{"node_id": "policy:none"}`, "not_found"},
		{"get_circuit_state", `{"scope": "stakes:high"}`, `{"scope": "none"}`, "not_found"},
		{"list_breakers", `{}`, `{"scope": "x"}`, "validation_error"},
		{"get_policy", `{"name": "NoTemporalFacet"}`, `{"name": "NoTemporalFact"}`, "not_found"},
		{"get_threshold", `{"name": "claim_promotion_confidence"}`, `{"name": "none"}`, "not_found"},
		{"list_policies", `{}`, `{"cursor": "none"}`, "validation_error"},
		{"list_thresholds", `{}`, `{"limit": 501}`, "validation_error"},
		{"get_federation_sources", `{}`, `{"status": 5}`, "validation_error"},
		{"get_subject_concepts", `{}`, `{"limit": 0}`, "validation_error"},
		{"find_tools", `{"query": "change a threshold"}`, `{}`, "validation_error"},
		{"run_cypher_readonly", `{"query": "MATCH (p:SYS_Policy) RETURN p LIMIT 1"}`, `{"query": "CREATE (n)"}`,
			"query_refused"},
	}
	var calls []map[string]any
	var names []string
	for _, c := range cases {
		if o, _ := tools.Find(tools.Catalog, c.tool); o.Listing != tools.ListedNever { // unlisted tools can be called too
			names = append(names, c.tool)
		}
		for _, arguments := range []string{c.succeeds, c.fails} {
			calls = append(calls, map[string]any{"tool": c.tool, "arguments": json.RawMessage(arguments)})
		}
	}
	calls = append(calls, map[string]any{"uri": "nomograph://threshold/none"})
	listed, answers := typescript(t, g, calls)
	if missing := answers[len(calls)-1].Thrown; missing == nil || missing.Code != -32002 ||
		!strings.Contains(missing.Message, "'none' not found") || missing.Data["hint"] == nil {
		t.Errorf(`a missing resource: got %+v, want non-nil missing, Code=-32002, Message with "'none' not found", non-nil hint`, missing)
	}
	listed = slices.DeleteFunc(listed, func(name string) bool { // covered by governed_test.go and the tests of memory
		o, _ := tools.Find(tools.Catalog, name)
		return o.Toolset == "cra" || o.Toolset == "memory"
	})
	slices.Sort(listed)
	slices.Sort(names)
	if diff := cmp.Diff(names, listed); diff != "" {
		t.Errorf("the tools tried and listed differ: %s", diff)
	}
	for i, c := range cases {
		good, bad := answers[2*i], answers[2*i+1]
		if good.Thrown != nil || good.Result.IsError || good.Result.StructuredContent == nil {
			t.Errorf("%s %s: got %+v %+v, want Thrown=nil, IsError=false, non-nil StructuredContent", c.tool,
				c.succeeds, good.Result, good.Thrown)
		}
		if bad.Thrown != nil || !bad.Result.IsError || bad.Result.StructuredContent != nil ||
			len(bad.Result.Content) != 1 {
			t.Errorf("%s %s: got %+v %+v, want Thrown=nil, IsError=true, StructuredContent=nil, len(Content)=1", c.tool,
				c.fails, bad.Result, bad.Thrown)
			continue
		}
		var fault struct {
			Error, Message, Hint, ID string
			Allowed                  *bool
		}
		text := bad.Result.Content[0].Text
		if json.Unmarshal([]byte(text), &fault) != nil || fault.Error != c.code || fault.Message == "" ||
			fault.Hint == "" || fault.ID == "" {
			t.Errorf("%s %s: got %s, want json.Unmarshal([]byte(text), &fault)=nil, Error=%v, non-empty Message, non-empty Hint, non-empty ID", c.tool, c.fails, text, c.code)
		}
		if checks := strings.HasSuffix(c.tool, "_action"); checks && (fault.Allowed == nil || *fault.Allowed) {
			t.Errorf("%s: got %s", c.tool, text)
		}
	}
}
