package check_test

import (
	"strings"
	"testing"

	"nomograph/graph"
	"nomograph/internal/apperr"
	"nomograph/internal/golden"
	"nomograph/policies/check"
	"nomograph/tools/toolstest"
)

func TestEvaluate_Expressions_GiveValuesAndStoreNothing(t *testing.T) {
	g, env := toolstest.Open(t)
	g.Exec(t, "CREATE (:SYS_Threshold {name: 'percent_max', value: 10}), (:SYS_Threshold {name: 'percent_max_acme/shop', value: 25, domain_scope: 'acme/shop'})", nil)
	count := func() any { return g.Rows(t, "MATCH (n) WHERE NOT n:SYS_Lock RETURN count(n) AS n", nil)[0]["n"] }
	before := count()
	ask := func(expression string) (check.ExpressionResult, error) {
		return env.Checks.EvaluateExpression(t.Context(),
			check.ExpressionQuery{Expression: expression, Category: "Rollout", Stakes: "high", Project: "acme/shop",
				Context: graph.Parameters{"percent": int64(20), "token": "ghp_0123456789abcdefghijklmnopqrstuvwxyz"},
				Tags:    []string{"a"}, By: "ada"})
	}
	for expression, want := range map[string]struct {
		value any
		kind  string
	}{
		`action.context.percent <= threshold("percent_max")`:          {false, "bool"},
		`action.context.percent <= threshold("percent_max", project)`: {true, "bool"},
		`threshold("percent_max") * 2`:                                {int64(20), "int"},
		`action.category + " by " + agent`:                            {"rollout by ada", "string"},
		`action.stakes >= high && size(action.tags) == 1`:             {true, "bool"},
		`action.context.?gone`:                                        {nil, "optional_type"},
		`action.context.percent / 8.0 > 2.0 ? "much" : "little"`:      {"much", "string"},
	} {
		if strings.Contains(expression, "8.0") { // an integer and a float
			expression = strings.ReplaceAll(expression, "action.context.percent", "double(action.context.percent)")
		}
		got, err := ask(expression)
		if err != nil || got.Value != want.value || got.Type != want.kind {
			t.Errorf("%s: got %v (%s) %v, want %v (%s)", expression, got.Value, got.Type, err, want.value, want.kind)
		}
	}
	got, err := ask(`action.stakes >= high && action.context.percent <= threshold("percent_max")`)
	if err != nil || len(got.Fails) != 1 || got.Fails[0] != "action.context.percent <= 10" ||
		got.Thresholds["percent_max"].Value != int64(10) || got.Saw["action.context.percent"] != int64(20) {
		t.Errorf(`got %+v %v, want len(Fails)=1, got.Fails[0]="action.context.percent <= 10", Value=10, action.context.percent=20`, got, err)
	}
	if got, err := ask("action.context.token"); err != nil || strings.Contains(got.Value.(string), "0123456789") {
		t.Errorf("a secret: got %+v %v, want Value without 0123456789", got, err)
	}
	for expression, says := range map[string]string{
		"action.context.gone > 1":  "there is no gone; ask has() first",
		`threshold("none") > 1`:    "'none' not found",
		"action.contxt":            "1:7: undefined field 'contxt'",
		"action.context.percent >": "1:25:",
	} {
		if _, err := ask(expression); !apperr.Is(err, apperr.Validation) || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: got %v, want a validation_error that says %q", expression, err, says)
		}
	}
	golden.Equal(t, "nodes", count(), before)
}
