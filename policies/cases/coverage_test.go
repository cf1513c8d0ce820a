package cases_test

import (
	"slices"
	"strings"
	"testing"

	"nomograph/internal/golden"
	"nomograph/policies/cases"
	"nomograph/policies/pack"
)

func TestCoverage_EveryBranch_IsCounted(t *testing.T) {
	none := runTests(t, 0, testedPack(t))
	// confident, divides and scoped have four branches; on-trial and advice two; breaker the two of applies_when;
	// never-drop has the branch that it always takes. The tables T1 and T3 may have no matching row.
	golden.Equal(t, "branches", none.Coverage.Branches, (cases.Share{Covered: 0, Total: 21}))
	golden.Equal(t, "rows", none.Coverage.Rows, (cases.Share{Covered: 0, Total: 8}))
	if want := (cases.Share{Covered: 0, Total: 7}); none.Coverage.Rules != want || len(none.Coverage.Missed) != 29 {
		t.Errorf("rules: %+v, want %+v; missed %d", none.Coverage.Rules, want, len(none.Coverage.Missed))
	}
	some := runTests(t, 0, testedPack(t,
		"name: c1, action: {description: x, stakes: high}, expect: {violations: [confident]}",
		"name: c2, action: {description: x, stakes: high, confidence: 1.0, project: other/one, tags: [a]}, expect: {violations: []}",
		"name: c3, action: {description: x, params: {parts: 0}}, expect: {violations: [divides]}",
		"name: c4, table: T1, inputs: {score: 10}, expect: {rows: [fast]}",
		"name: c5, table: T1, inputs: {score: -1}, expect: {rows: []}",
		"name: c6, table: T3, inputs: {n: 3}, expect: {fails: true}"))
	if some.Failed() {
		t.Fatal(some.Summary)
	}
	byRule := map[string]cases.RuleCoverage{}
	for _, r := range some.Coverage.ByRule {
		byRule[r.Rule] = r
	}
	for _, want := range []cases.RuleCoverage{
		{Rule: "confident", Evaluated: 3, Applied: 2, NotApplied: 1, Passed: 1, Violated: 1},
		{Rule: "never-drop"},
		{Rule: "on-trial", Evaluated: 3, Applied: 3, Passed: 1, Violated: 2},
		{Rule: "advice", Evaluated: 2, Applied: 2, Violated: 2},
		{Rule: "switched-off", Note: "mode off"},
		{Rule: "sleeping", Note: "not active"},
		{Rule: "divides", Evaluated: 3, Applied: 1, NotApplied: 2, Errors: 1},
		{Rule: "breaker", Evaluated: 3, NotApplied: 3, Note: "its pattern needs a case with a graph"},
	} {
		got := byRule[want.Rule]
		if got.Pack != "team" || got.Evaluated != want.Evaluated || got.Applied != want.Applied ||
			got.NotApplied != want.NotApplied ||
			got.Passed != want.Passed || got.Violated != want.Violated || got.Errors != want.Errors ||
			got.Note != want.Note {
			t.Errorf("got  %+v\nwant %+v", got, want)
		}
	}
	// confident 4, on-trial 2, advice 1, divides 2, scoped 1, breaker 1, and no matching row of T1.
	if want := (cases.Share{Covered: 12, Total: 21, Percent: 57.1}); some.Coverage.Branches != want {
		t.Errorf("branches: %+v, want %+v\n%s", some.Coverage.Branches, want, strings.Join(some.Coverage.Missed, "\n"))
	}
	golden.Equal(t, "rows", some.Coverage.Rows, (cases.Share{Covered: 1, Total: 8, Percent: 12.5}))
	if some.Coverage.Percent != 44.8 || some.Coverage.Rules.Covered != 4 {
		t.Errorf("%v percent, %+v", some.Coverage.Percent, some.Coverage.Rules)
	}
	for _, want := range []string{"team.yaml:14:5: rule 'never-drop': no case where it is violated",
		"team.yaml:22:5: rule 'advice': no case where it holds",
		"team.yaml:54:10: row 'slow' of table 'T1_speed': no case where it hits",
		"team.yaml:60:5: table 'T3_one': no case where no row hits"} {
		if !slices.Contains(some.Coverage.Missed, want) {
			t.Errorf("%q is not among\n%s", want, strings.Join(some.Coverage.Missed, "\n"))
		}
		golden.Contains(t, "the summary", some.Summary, "  "+want+"\n")
	}
	golden.Contains(t, "the summary", some.Summary,
		"coverage 44.8 %: 12 of 21 branches, 1 of 8 rows; 4 of 7 rules applied\n",
		"not evaluated (its pattern needs a case with a graph): breaker\n")
}

func TestCoverage_TooLow_Fails(t *testing.T) {
	whole := pack.Source{Name: "w.yaml", Text: `{pack: w, version: 1.0.0, policies: [{name: r, active: true, requires: "action.stakes < high"}],
		tests: [{name: holds, action: {description: x}, expect: {allowed: true}}, {name: stops, action: {description: x, stakes: high}, expect: {allowed: false}}]}`}
	if report := runTests(t, 100, whole); report.Failed() || report.Coverage.Percent != 100 {
		t.Errorf("got %s, want report.Failed()=false, Percent=100", report.Summary)
	}
	half := pack.Source{Name: "h.yaml", Text: strings.Replace(whole.Text, "stakes: high}, expect: {allowed: false}",
		"stakes: low}, expect: {allowed: true}", 1)}
	if report := runTests(t, 50, half); report.Failed() {
		t.Errorf("coverage equal to the minimum: got %s, want success", report.Summary)
	}
	report := runTests(t, 50.1, half)
	if !report.Failed() || report.Failures != 0 ||
		!strings.Contains(report.Summary, "FAIL coverage is 50 %, and at least 50.1 % is asked for\n") {
		t.Errorf("a little less: %s", report.Summary)
	}
	if empty := runTests(t, 100, pack.Source{Name: "e.yaml", Text: "{pack: e, version: 1.0.0}"}); empty.Failed() ||
		!strings.Contains(empty.Summary, "e 1.0.0: no cases\n") {
		t.Errorf("a pack with nothing to cover: %s", empty.Summary)
	}
}

// TestCoverage_PatternRuleWithoutGraph_IsNoted expects the note in the case as well as in the coverage.
func TestCoverage_PatternRuleWithoutGraph_IsNoted(t *testing.T) {
	report := runTests(t, 0, testedPack(t, "name: deploys, action: {description: x, category: deploy}, expect: {allowed: true}"))
	if got := report.Cases[0].Note; got != "not evaluated, because its pattern needs a graph: breaker" ||
		report.Failed() {
		t.Errorf("the note is %q", got)
	}
	for _, r := range report.Coverage.ByRule {
		if r.Rule == "breaker" && (r.Applied != 1 || r.Passed != 0) {
			t.Errorf("got %+v, want Applied=1, Passed=0", r)
		}
	}
}

// TestCases_RequiredConsensus_ComesFromTheCase: a rule that requires a consensus is tested without another server.
func TestCases_RequiredConsensus_ComesFromTheCase(t *testing.T) {
	report := runTests(t, 100, pack.Source{Name: "c.yaml",
		Text: `{pack: c, version: 1.0.0, policies: [{name: agreed, active: true, applies_when: action.stakes == critical,
		requires: 'has(action.consensus) && size(action.consensus.agreed) >= action.consensus.quorum && !("eve" in action.consensus.objected) && action.consensus.valid_until > now'}],
		tests: [{name: small, action: {description: x}, expect: {allowed: true}},
			{name: nobody was asked, action: {description: x, stakes: critical}, expect: {violations: [agreed]}},
			{name: two agreed, action: {description: x, stakes: critical}, consensus: {agreed: [ada, bo]}, expect: {allowed: true}},
			{name: one was wanted more, action: {description: x, stakes: critical}, consensus: {agreed: [ada, bo], quorum: 3}, expect: {allowed: false}},
			{name: eve objects, action: {description: x, stakes: critical}, consensus: {agreed: [ada], objected: [eve]}, expect: {allowed: false}},
			{name: it has ended, action: {description: x, stakes: critical}, consensus: {agreed: [ada], valid_until: "2026-01-01T12:00:00Z"}, expect: {allowed: false}}]}`})
	if report.Failed() {
		t.Error(report.Summary)
	}
	report = runTests(t, 0, testedPack(t, "name: c, table: T1, inputs: {score: 10}, consensus: {agreed: [ada]}, expect: {rows: [fast]}"))
	if !report.Failed() || !strings.Contains(report.Summary, "consensus: others agree to an action") {
		t.Error(report.Summary)
	}
}
