package cstp_test

import (
	"cmp"
	"testing"

	"nomograph/graph/graphtest"
	"nomograph/policies/condition"
	"nomograph/policies/pack"
	"nomograph/tools/toolstest"
)

// TestImport_Guardrails_DecideAsBefore checks whether each rule is violated or holds for the actions of
// testdata/verdicts.yaml. Evaluation never fails.
func TestImport_Guardrails_DecideAsBefore(t *testing.T) {
	type guardrail struct {
		Fields  string
		Actions []struct {
			Stakes     string
			Confidence *float64
			Context    map[string]any
			Violates   bool
		}
	}
	for _, row := range toolstest.Rows[guardrail](t, "testdata/verdicts.yaml") {
		policy, notes := imported(t, "id: rule\n"+row.Fields+"\n")
		if policy == nil {
			t.Errorf("%s was left out: %s", row.Fields, notes)
			continue
		}
		for _, c := range row.Actions {
			action := condition.Action{Confidence: c.Confidence}
			action.Stakes, _ = condition.ParseStakes(cmp.Or(c.Stakes, "low"))
			action.Context, _ = pack.Bolt(c.Context).(map[string]any)
			objects, err := objects(t, policy, condition.Facts{Action: &action})
			if err != nil || objects != c.Violates {
				t.Errorf("%s\n over %v: objects is %v (%v)\n %v\n %v", row.Fields, c, objects, err,
					policy["applies_when"],
					policy["requires"])
			}
		}
	}
}

func objects(t testing.TB, policy map[string]any, facts condition.Facts) (bool, error) {
	t.Helper()
	for _, key := range []string{"applies_when", "requires"} {
		text, ok := policy[key].(string)
		if !ok {
			continue
		}
		p := graphtest.Must(condition.Rule(text))(t)
		if holds, err := p.Eval(t.Context(), facts); err != nil || holds == (key == "requires") {
			return false, err
		}
	}
	return true, nil
}
