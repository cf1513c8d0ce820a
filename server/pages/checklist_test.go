package pages_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"nomograph/internal/golden"
	"nomograph/policies/check"
	"nomograph/server/pages"
)

// TestChecklist_Conditions_BecomeSteps covers the forms of conditions in the shipped packs, and some conditions that
// have no description.
func TestChecklist_Conditions_BecomeSteps(t *testing.T) {
	values := map[string]any{"action.confidence": 0.4, "action.context.ready": nil, "action.context.passed": false,
		"action.stakes": "critical", "action.context.minutes": int64(5)}
	for _, row := range golden.Rows(t, "testdata/checklist.txt") {
		var words, facts []string
		for _, step := range pages.StepsOf(check.Violation{Values: values, WouldPass: strings.Split(row[0], " ;; ")}) {
			words = append(words, step.Text)
			for _, path := range slices.Sorted(maps.Keys(step.Facts)) {
				facts = append(facts, fmt.Sprintf("%s=%v", path, step.Facts[path]))
			}
		}
		if got := strings.Join(words, "; "); got != row[1] || strings.Join(facts, ",") != row[2] {
			t.Errorf("%s\ngot  %s %v\nwant %s %s", row[0], got, facts, row[1], row[2])
		}
	}
}
