package condition_test

import (
	"strings"
	"testing"

	"nomograph/graph/graphtest"
	"nomograph/policies/condition"
)

// TestCondition_ExponentialLists_FailBeforeTheyAreBuilt builds lists that double with every step. They share their
// parts, so neither memory nor construction cost reveals their size, but a comparison would never end.
func TestCondition_ExponentialLists_FailBeforeTheyAreBuilt(t *testing.T) {
	for name, text := range map[string]string{
		"lists added":      "[[1]]" + strings.Repeat(".map(x, x+x)", 46) + ".map(x, 7 in x) == [true]",
		"lists in lists":   "[dyn([1])]" + strings.Repeat(".map(x, dyn([x, x]))", 40) + " == [dyn(1)]",
		"maps in maps":     "[dyn({'a': 1})]" + strings.Repeat(".map(x, dyn({'a': x, 'b': x}))", 40) + " == [dyn(1)]",
		"scopes in scopes": strings.Repeat("[1].exists(x, ", 1) + nested(40) + ")",
	} {
		t.Run(name, func(t *testing.T) {
			program := graphtest.Must(condition.Rule(text))(t)
			if holds, err := program.Eval(t.Context(), condition.Facts{Action: &condition.Action{}}); err == nil ||
				holds {
				t.Errorf("gives %v, %v", holds, err)
			}
		})
	}
	t.Run("an honest list", func(t *testing.T) {
		tags := make([]string, 500)
		program := graphtest.Must(condition.Rule(`action.tags.map(t, t + "x").filter(t, t == "x").size() == 500`))(t)
		if holds, err := program.Eval(t.Context(), condition.Facts{Action: &condition.Action{Tags: tags}}); !holds ||
			err != nil {
			t.Errorf("got %v %v, want holds=true", holds, err)
		}
	})
}

// nested defines y0 as x twice, y1 as y0 twice and so on, and compares the last one.
func nested(depth int) string {
	inner, last := "", "x"
	for range depth {
		next := last + "y"
		if len(next) > 6 {
			next = "y" + string(rune('a'+len(inner)%20))
		}
		inner += "[dyn([" + last + ", " + last + "])].exists(" + next + ", "
		last = next
	}
	return inner + last + " == [1]" + strings.Repeat(")", depth)
}
