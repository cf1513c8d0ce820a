package cases_test

import (
	"strings"
	"testing"

	"nomograph/graph/graphtest"
	"nomograph/internal/apperr"
	"nomograph/internal/golden"
	"nomograph/policies/cases"
	"nomograph/policies/check"
	"nomograph/policies/pack"
	"nomograph/tools/toolstest"
)

const shop = `pack: shop
version: 1.0.0
policies:
  - name: never
    active: true
    requires: action.stakes < high || action.params.copy == true
    message: Never
`

// TestFromVerdict_OverturnedDenial_FailsUntilTheRuleChanges writes a denial as a case, before and after it is
// overturned.
func TestFromVerdict_OverturnedDenial_FailsUntilTheRuleChanges(t *testing.T) {
	g, env := toolstest.Open(t)
	toolstest.Rules(t, g, `(:SYS_Policy {name: 'never', active: true, requires: 'action.stakes < high || action.params.copy == true', message: 'Never'})`)
	v, err := env.Checks.Check(t.Context(), check.ActionCheck{Description: `Drop "the" table`, Stakes: "high",
		Params: map[string]any{"copy": false, "rows": int64(7)}, AgentID: "bo"})
	if err != nil || v.Allowed {
		t.Fatalf("got %+v, %v, want a denial", v, err)
	}
	written := func(text string) cases.OfVerdict {
		t.Helper()
		e := graphtest.Must(env.Checks.Explain(t.Context(), check.VerdictQuery{ID: v.VerdictID}))(t)
		var packs []pack.Source
		if text != "" {
			packs = []pack.Source{{Name: "shop.yaml", Text: text}}
		}
		out := graphtest.Must(cases.FromVerdict(t.Context(), e, packs))(t)
		return out
	}
	run := func(text string) cases.Report {
		t.Helper()
		report := graphtest.Must(cases.Run(t.Context(),
			cases.Request{Packs: []pack.Source{{Name: "shop.yaml", Text: text}}}, nil))(t)
		return report
	}
	if alone := written(""); !strings.HasPrefix(alone.Text, "tests:\n  - name: ") {
		t.Errorf("got %q, want a list of tests", alone.Text)
	}
	for _, text := range []string{shop, shop + "tests:\n- name: low\n  action: {description: x, stakes: low}\n  expect: {allowed: true}\n\n# the end\n",
		strings.Replace(shop, "policies:", "tests:\n    - name: low\n      action: {description: x, stakes: low}\n      expect: {allowed: true}\npolicies:", 1)} {
		got := written(text)
		if report := run(got.Text); report.Failed() {
			t.Errorf("the denial as a test of\n%s\nfails:\n%s", got.Text, report.Summary)
		}
	}
	graphtest.Must(env.Checks.Appeal(t.Context(), check.AppealRequest{ID: v.VerdictID, Reason: "Nobody reads it",
		By: "bo"}))(t)
	graphtest.Must(env.Checks.Overturn(t.Context(),
		check.AppealAnswer{ID: v.VerdictID, Reason: "True", By: "ann"}))(t)
	with := written(shop)
	golden.Equal(t, "failures before the rule changes", run(with.Text).Failures, 1)
	golden.Equal(t, "failures of the changed rule",
		run(strings.Replace(with.Text, "action.stakes < high", "action.stakes <= high",
			1)).Failures, 0)
	e := graphtest.Must(env.Checks.Explain(t.Context(), check.VerdictQuery{ID: v.VerdictID}))(t)
	if _, err := cases.FromVerdict(t.Context(), e, []pack.Source{{Name: "shop.yaml", Text: with.Text}}); !apperr.Is(err,
		apperr.Conflict) {
		t.Errorf("a second case of the verdict gave %v, want a conflict", err)
	}
	e.InputsKept = check.RetainHash
	if _, err := cases.FromVerdict(t.Context(), e, nil); !apperr.Is(err, apperr.Conflict) {
		t.Errorf("a verdict without its action gave %v, want a conflict", err)
	}
}
