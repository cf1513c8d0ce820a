package pages_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"nomograph/policies/check"
	"nomograph/server/pages"
)

// TestChecklist_Conditions_BecomeSteps covers the forms of conditions in the shipped packs, and some conditions that
// have no description.
func TestChecklist_Conditions_BecomeSteps(t *testing.T) {
	values := map[string]any{"action.confidence": 0.4, "action.context.ready": nil, "action.context.passed": false,
		"action.stakes": "critical", "action.context.minutes": int64(5)}
	for _, test := range []struct {
		clauses []string
		words   string
		facts   string
	}{
		{[]string{"action.confidence >= 0.65"}, "Raise `confidence` to at least `0.65` (now `0.4`)",
			"action.confidence=0.65"},
		{[]string{"0.65 <= action.confidence"}, "Raise `confidence` to at least `0.65` (now `0.4`)",
			"action.confidence=0.65"},
		{[]string{"has(action.confidence)", "action.confidence >= 0.65"},
			"Raise `confidence` to at least `0.65` (now `0.4`)", "action.confidence=0.65"},
		{[]string{"has(action.context.ready)"}, "Provide `context.ready`", ""},
		{[]string{"has(action.context.ready)", "action.context.ready == true"},
			"Set `context.ready` to `true` (now absent)", "action.context.ready=true"},
		{[]string{"!has(action.context.passed) || action.context.passed == true"},
			"Set `context.passed` to `true` (now `false`), or leave it out", "action.context.passed=true"},
		{[]string{"has(action.context.ready) && action.context.ready == true || has(action.context.why) && action.context.why != \"\""},
			"Set `context.ready` to `true` (now absent), or provide `context.why`", "action.context.ready=true"},
		{[]string{"action.context.minutes <= 3 || (has(action.context.ready) && action.context.ready)"},
			"Lower `context.minutes` to at most `3` (now `5`), or set `context.ready` to `true` (now absent)",
			"action.context.minutes=3"},
		{[]string{"action.stakes < critical || action.confidence >= 0.8"},
			"Lower `stakes` below `critical` (now `critical`), or raise `confidence` to at least `0.8` (now `0.4`)",
			"action.confidence=0.8"},
		{[]string{`!(action.name in ["drop", "wipe"])`}, "Change `name` to something other than `drop`, or `wipe`", ""},
		{[]string{`action.category in ["fix"]`}, "Set `category` to `fix`", "action.category=fix"},
		{[]string{`"a" in action.tags`}, "Add `a` to `tags`", ""},
		{[]string{`!("a" in action.params.git)`}, "Remove `a` from `params.git`", ""},
		{[]string{"size(action.tags) > 2"}, "Raise the number of `tags` above `2`", ""},
		{[]string{`!(action.context["main.go"] == 1)`}, "Change `context.main.go` to something other than `1`", ""},
		{[]string{"!action.context.passed"}, "Set `context.passed` to `false` (now `false`)",
			"action.context.passed=false"},
		{[]string{`action.params.git.exists(o, o == "x")`},
			"Make this condition true: `action.params.git.exists(o, o == \"x\")`", ""},
		{[]string{"!(true)"}, "Make this condition true: `!(true)`", ""},
		{[]string{"wait until 13:00, when 2 of 3 calls are left"}, "Wait until 13:00, when 2 of 3 calls are left",
			""}, // the text of a limit
	} {
		var words, facts []string
		for _, step := range pages.StepsOf(check.Violation{Values: values, WouldPass: test.clauses}) {
			var b strings.Builder
			for _, phrase := range step.Words {
				if phrase.Code {
					b.WriteString("`" + phrase.Text + "`")
				} else {
					b.WriteString(phrase.Text)
				}
			}
			words = append(words, b.String())
			for _, path := range slices.Sorted(maps.Keys(step.Facts)) {
				facts = append(facts, fmt.Sprintf("%s=%v", path, step.Facts[path]))
			}
		}
		if got := strings.Join(words, "; "); got != test.words || strings.Join(facts, ",") != test.facts {
			t.Errorf("%q\ngot  %s %v\nwant %s %s", test.clauses, got, facts, test.words, test.facts)
		}
	}
}
