package condition_test

import (
	"fmt"
	"testing"

	"nomograph/graph/graphtest"
	"nomograph/internal/golden"
	"nomograph/policies/condition"
)

// TestCondition_NameInAnySpelling_IsFound evaluates names in the normalized form that rules see.
func TestCondition_NameInAnySpelling_IsFound(t *testing.T) {
	facts := condition.Facts{Agent: "claude code", Project: "acme/shop",
		Action: &condition.Action{Category: "rollout", Name: "git.push", Pattern: "boring storage",
			Tags: []string{"auth", "db"}, Context: map[string]any{"env": "Prod", "kind": "rollout"}}}
	for _, row := range golden.Rows(t, "testdata/names.txt") {
		program, err := condition.Rule(row[0])
		if err != nil {
			t.Errorf("%s: got %v, want no error", row[0], err)
			continue
		}
		if got, err := program.Eval(t.Context(), facts); err != nil || fmt.Sprint(got) != row[1] {
			t.Errorf("%s: got %v %v, want %s", row[0], got, err, row[1])
		}
	}
	program := graphtest.Must(condition.Rule(`action.name == "x" || action.category == "Deploy" && agent == "Claude"`))(t)
	golden.Equal(t, "the condition", program.Needs(facts),
		`action.name == "x" || action.category == "deploy" && agent == "claude"`)
}
