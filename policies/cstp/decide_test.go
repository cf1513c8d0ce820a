package cstp_test

import (
	"testing"

	"nomograph/policies/condition"
)

// TestImport_Guardrails_DecideAsBefore checks whether each rule is violated or holds for the given facts. Evaluation
// never fails.
func TestImport_Guardrails_DecideAsBefore(t *testing.T) {
	type facts struct {
		stakes     string
		confidence float64 // negative: none
		context    map[string]any
		objects    bool
	}
	ctx := func(pairs ...any) map[string]any {
		m := map[string]any{}
		for i := 0; i < len(pairs); i += 2 {
			m[pairs[i].(string)] = pairs[i+1]
		}
		return m
	}
	tests := map[string][]facts{
		"condition_stakes: high\ncondition_confidence: '< 0.5'": {
			{"high", 0.3, nil, true}, {"high", 0.5, nil, false}, {"low", 0.3, nil, false},
			{"critical", 0.1, nil, false}, {"high", -1, nil, false},
			{"high", 0.3, ctx("stakes", "low", "confidence", 1.0), true},
		},
		"condition: {stakes: high, confidence_lt: 0.5}": {{"high", 0.3, nil, true}, {"high", -1, nil, true},
			{"high", 0.7, nil, false}},
		"condition_production: true\nrequires_review: true": {
			{"low", 1, nil, false}, {"low", 1, ctx("production", true), true},
			{"low", 1, ctx("production", true, "review", false), true},
			{"low", 1, ctx("production", true, "review", true), false}, {"low", 1, ctx("review", false), false},
			{"low", 1, ctx("production", "true"), false},
		},
		"requires: {approvals: '>= 2'}": {{"low", 1, nil, true}, {"low", 1, ctx("approvals", int64(1)), true},
			{"low", 1, ctx("approvals", 2.0), false}},
		"condition_lines: '> 400'": {{"low", 1, nil, false}, {"low", 1, ctx("lines", int64(401)), true},
			{"low", 1, ctx("lines", 400.0), false}},
		"condition_env: [prod, staging]": {{"low", 1, nil, false}, {"low", 1, ctx("env", "prod"), true},
			{"low", 1, ctx("env", "test"), false}},
		"condition_env: '!= test'": {{"low", 1, nil, false}, {"low", 1, ctx("env", "prod"), true},
			{"low", 1, ctx("env", "test"), false}},
		"condition_has_deliberation: false": {{"low", 1, nil, true}},
		"condition_category: '!= process'":  {{"low", 1, nil, false}},
		"description: always":               {{"low", 1, nil, true}},
		`condition: 'action.stakes == "critical" || action.context.prod == true'`: {
			{"low", 1, nil, false}, {"critical", 1, nil, true}, {"low", 1, ctx("prod", true), true},
			{"low", 1, ctx("prod", false), false},
		},
		`condition: '!(action.context.prod == true)'`: {{"low", 1, nil, false}, {"low", 1, ctx("prod", true), false},
			{"low", 1, ctx("prod", false), true}},
		`condition: '!(action.context.a == 1 && action.context.b == 1)'`: {
			{"low", 1, nil, false}, {"low", 1, ctx("a", int64(2)), true}, {"low", 1, ctx("a", int64(1)), false},
			{"low", 1, ctx("a", int64(1), "b", int64(2)), true},
		},
		`condition: 'action.context.a ? action.context.b : action.confidence < 0.5'`: {
			{"low", 0.1, nil, false}, {"low", 0.1, ctx("a", false), true}, {"low", -1, ctx("a", false), true},
			{"low", 0.9, ctx("a", false), false},
			{"low", 0.9, ctx("a", true), false}, {"low", 0.9, ctx("a", true, "b", true), true},
			{"low", 0.1, ctx("a", true, "b", false), false},
		},
		`condition: 'true == action.has_tags || has(action.context.a.b) || action.confidence < 0'`: {
			{"low", 0.1, nil, false}, {"low", 0.1, ctx("a", ctx("b", int64(1))), true},
			{"low", 0.1, ctx("a", ctx()), false},
		},
	}
	for fields, cases := range tests {
		policy, notes := imported(t, "id: rule\n"+fields+"\n")
		if policy == nil {
			t.Errorf("%s was left out: %s", fields, notes)
			continue
		}
		for _, c := range cases {
			stakes, _ := condition.ParseStakes(c.stakes)
			action := condition.Action{Stakes: stakes, Context: c.context}
			if c.confidence >= 0 {
				action.Confidence = &c.confidence
			}
			objects, err := objects(t, policy, condition.Facts{Action: &action})
			if err != nil || objects != c.objects {
				t.Errorf("%s\n over %v: objects is %v (%v)\n %v\n %v", fields, c, objects, err, policy["applies_when"],
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
		p, err := condition.Rule(text)
		if err != nil {
			t.Fatal(err)
		}
		if holds, err := p.Eval(t.Context(), facts); err != nil || holds == (key == "requires") {
			return false, err
		}
	}
	return true, nil
}
