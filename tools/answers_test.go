package tools_test

import (
	"encoding/json"
	"testing"

	"nomograph/graph/graphtest"
	"nomograph/schema"
	"nomograph/search"
	"nomograph/tools"
	"nomograph/tools/toolstest"
)

// TestAnswersFitTheirSchemas: a client of MCP checks each answer by the schema that tools/list gave, and refuses one that does not
// fit. What cannot be said, as on an empty graph, is null in many of them.
func TestAnswersFitTheirSchemas(t *testing.T) {
	g := graphtest.New(t)
	env := toolstest.EnvWith(t, g.DB, tools.Options{Embedder: search.Builtin(), Project: "usual/project"})
	fits := func(o tools.Operation, arguments string) {
		t.Helper()
		out, err := o.Run(t.Context(), env, json.RawMessage(arguments))
		if err != nil {
			t.Logf("%s %s: %v", o.Name, arguments, err)
			return
		}
		declared, err := json.Marshal(o.Output)
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
	}
	for _, o := range tools.Catalogue { // an empty graph
		if o.Kind == tools.Call && o.Hints.ReadOnly && len(o.Input.Required) == 0 {
			fits(o, `{}`)
		}
	}
	record, _ := tools.Find(tools.Catalogue, "log_decision")
	fits(record, `{"decision": "Use Y", "category": "process", "confidence": 0.7}`)
	g.Exec(t, `CREATE (:SYS_Policy {name: 'never', active: true, applies_when: 'action.description.startsWith("Never")', requires: 'false', message: 'No'})`, nil)
	for name, calls := range map[string][]string{
		"pre_action": {`{"action": {"description": "Use X"}}`, `{"action": {"description": "Never use X", "category": "process", "confidence": 0.3}}`,
			`{"action": {"description": "Never use X", "category": "process", "confidence": 0.3}, "force": "said so"}`},
		"get_stats":           {`{"project": "no/project"}`, `{"group_by": "category"}`, `{"window": "30d"}`},
		"get_reason_stats":    {`{}`, `{"filters": {"project": "no/project"}}`},
		"check_drift":         {`{}`},
		"get_session_context": {`{"format": "json", "max_tokens": 200}`},
	} {
		o, _ := tools.Find(tools.Catalogue, name)
		for _, arguments := range calls {
			fits(o, arguments)
		}
	}
}
