package tools_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"nomograph/decisions"
	"nomograph/graph/graphtest"
	"nomograph/internal/schema"
	"nomograph/internal/terminal"
	"nomograph/tools"
	"nomograph/tools/toolstest"
	"nomograph/tools/views"
)

// TestAnswers_EveryOperation_FitsItsSchema: a client of MCP checks each answer by the schema that tools/list gave, and
// refuses one that does not fit. Values that cannot be computed, as on an empty graph, are null.
func TestAnswers_EveryOperation_FitsItsSchema(t *testing.T) {
	if testing.Short() {
		t.Skip("runs in make test-all")
	}
	g := graphtest.New(t)
	c := toolstest.Config()
	c.Project = "usual/project"
	env := toolstest.AppWith(t, c, tools.Options{Graph: g.DB})
	fits := func(o tools.Operation, arguments string) {
		t.Helper()
		out, err := o.Run(t.Context(), env, json.RawMessage(arguments))
		if err != nil {
			t.Logf("%s %s: %v", o.Name, arguments, err)
			return
		}
		declared, err := json.Marshal(o.Output())
		if err != nil {
			t.Fatal(err)
		}
		raw, err := json.Marshal(out)
		if err != nil {
			t.Fatal(err)
		}
		var answer any
		if err := json.Unmarshal(raw, &answer); err != nil {
			t.Fatal(err)
		}
		for _, p := range schema.MustCompile(declared).Check(answer) {
			t.Errorf("%s %s: %s, at %v", o.Name, arguments, p.Message, p.Path)
		}
		// The answer over the network has the same fields.
		over, err := o.Answered(raw)
		if err != nil {
			t.Errorf("%s %s: got %v, want no error", o.Name, arguments, err)
		} else if got, want := textOf(over), textOf(out); got != want {
			t.Errorf("%s %s: over the network got\n%s\nwant\n%s", o.Name, arguments, got, want)
		}
	}
	for _, o := range tools.Catalog { // an empty graph
		if o.Kind == tools.Call && o.Hints.ReadOnly && len(o.Input().Required) == 0 {
			fits(o, `{}`)
		}
	}
	record, _ := tools.Find(tools.Catalog, "log_decision")
	fits(record, `{"decision": "Use Y", "category": "process", "confidence": 0.7, "reasons": [{"type": "analysis", "text": "It is small"}]}`)
	toolstest.ApplyShipped(t, g, "core", "chrystallum")
	g.Exec(t, `CREATE (:SYS_Policy {name: 'never', active: true, applies_when: 'action.description.startsWith("Never")', requires: 'false', message: 'No'})`, nil)
	one := toolstest.Record(t, env, decisions.Record{Decision: "Use Z\nand nothing else", Confidence: 0.9,
		ExtraFields: decisions.ExtraFields{Tags: []string{"z"}}}).ID
	toolstest.Link(t, env, one, "depends_on", toolstest.Record(t, env,
		decisions.Record{Decision: "Use W", Confidence: 1}).ID)
	toolstest.Review(t, env, one, "failure")
	for _, name := range []string{"get_decision", "get_graph", "get_neighbors", "get_lineage"} {
		o, _ := tools.Find(tools.Catalog, name)
		fits(o, `{"id": "`+one+`"}`)
		fits(o, `{"node_id": "`+one+`"}`)
	}
	for name, calls := range map[string][]string{
		"pre_action": {`{"action": {"description": "Use X"}}`,
			`{"action": {"description": "Never use X", "category": "process", "confidence": 0.3}}`,
			`{"action": {"description": "Never use X", "category": "process", "confidence": 0.3}, "force": "said so"}`},
		"get_stats":           {`{"project": "no/project"}`, `{"group_by": "category"}`, `{"window": "30d"}`},
		"get_reason_stats":    {`{}`, `{"filters": {"project": "no/project"}}`},
		"check_drift":         {`{}`},
		"get_session_context": {`{"format": "json", "max_tokens": 200}`},
		"check_action":        {`{"description": "Never do it", "stakes": "high", "confidence": 0.5}`},
		"get_table":           {`{"table": "D10"}`},
		"list_verdicts":       {`{}`}, "list_decisions": {`{}`}, "ready": {`{}`}, "get_today": {`{}`},
		"list_breakers": {`{}`}, "query_decisions": {`{"query": "use"}`},
		"get_history": {`{}`, `{"kind": "threshold", "name": "claim_promotion_confidence"}`},
	} {
		o, _ := tools.Find(tools.Catalog, name)
		for _, arguments := range calls {
			fits(o, arguments)
		}
	}
}

// textOf returns an answer as text, and whether the answer is a denial.
func textOf(answer any) string {
	verdict, _ := answer.(interface{ Denied() bool })
	failed, _ := answer.(interface{ Failed() bool })
	reply := fmt.Sprintln(verdict != nil && verdict.Denied(), failed != nil && failed.Failed())
	text, _ := views.Text(answer, terminal.Page{})
	return reply + text
}
