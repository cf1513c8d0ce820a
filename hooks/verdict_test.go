package hooks_test

import (
	"testing"

	"nomograph/hooks"
	"nomograph/policies/check"
	"nomograph/policies/rule"
)

func TestVerdictOf_Denial_SaysWhatWouldPassAndOffersAnAppeal(t *testing.T) {
	v, err := hooks.VerdictOf(check.Verdict{VerdictID: "01a2", Violations: []check.Violation{
		{GuardrailID: "no-force", Message: "No force", Severity: rule.Block,
			Alternatives: []string{"push without force"}, WouldPass: []string{"never shown"}},
		{GuardrailID: "only-ours", Message: "Only ours", Severity: rule.Block,
			WouldPass: []string{`action.params.host == "a"`}},
	}})
	const want = `Policy no-force: No force. Instead: push without force.
Policy only-ours: Only ours. It passes if action.params.host == "a".
If this is wrong, tell the user: nomograph verdict explain 01a2
To appeal: nomograph verdict appeal 01a2 "REASON"`
	if err != nil || v.Decision != hooks.Deny || v.Reason != want {
		t.Errorf("got %v %v:\n%s\nwant\n%s", err, v.Decision, v.Reason, want)
	}
}

func TestPacks_BlockingRules_NameAnAlternative(t *testing.T) {
	for _, p := range shippedPacks(t) {
		for _, item := range p.Items {
			if list, _ := item.Properties["alternatives"].([]any); len(list) == 0 &&
				item.Properties["severity"] != nil {
				t.Errorf("%s: %s has no alternatives", p.Name, item.Key)
			}
		}
	}
}
