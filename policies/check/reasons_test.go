package check_test

import (
	"testing"

	"nomograph/graph/graphtest"
	"nomograph/policies/check"
	"nomograph/tools/toolstest"
)

// TestCheck_FactsOfARecording_CanBeStated: a rule about reasons can be passed by a check, and not only by a recording.
func TestCheck_FactsOfARecording_CanBeStated(t *testing.T) {
	g, env := toolstest.Open(t)
	two := []check.Reason{{Type: "empirical", Text: "It was measured"},
		{Type: "analysis", Text: "It follows", Strength: confidence(0.4)}}
	for _, c := range []struct {
		requires string
		action   check.ActionCheck
		allowed  bool
	}{
		{"action.reason_count >= 2", check.ActionCheck{}, false},
		{"action.reason_count >= 2", check.ActionCheck{Reasons: two[:1]}, false},
		{"action.reason_count >= 2", check.ActionCheck{Reasons: two}, true},
		{"action.reasons.exists(r, r.type == 'empirical' && r.strength == 0.8)", check.ActionCheck{Reasons: two}, true},
		{"action.reasons.all(r, r.strength > 0.5)", check.ActionCheck{Reasons: two}, false},
		{"action.pattern == 'one store'", check.ActionCheck{Pattern: "One  Store"}, true},
		{"action.quality_score >= 0.5", check.ActionCheck{}, false},
		{"action.quality_score >= 0.5", check.ActionCheck{QualityScore: confidence(0.5)}, true},
		{"action.deliberation_count > 0", check.ActionCheck{DeliberationCount: 1}, true},
		{"action.phase == 'check'", check.ActionCheck{Reasons: two}, true},
	} {
		toolstest.Rules(t, g, `(:SYS_Policy {name: 'rule', active: true, requires: "`+c.requires+`"})`)
		c.action.Description = "Deploy"
		v := graphtest.Must(env.Checks.Check(t.Context(), c.action))(t)
		graphtest.Equal(t, v.Allowed, c.allowed, c.requires, "allowed")
	}
}
