package lab_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"nomograph/decisions"
	"nomograph/graph/graphtest"
	"nomograph/internal/apperr"
	"nomograph/internal/statistics"
	"nomograph/policies/check"
	"nomograph/policies/lab"
	"nomograph/tools"
	"nomograph/tools/toolstest"
)

func reported(t *testing.T, env *tools.App, q lab.ReportRequest) map[string]lab.RuleReport {
	t.Helper()
	out := graphtest.Must(env.Lab.Report(t.Context(), q))(t)
	rules := map[string]lab.RuleReport{}
	for _, rule := range out.Rules {
		rules[rule.Rule] = rule
	}
	return rules
}

func TestReport_DenialsRetriesAndOverrides_AreCountedByRule(t *testing.T) {
	g, env := toolstest.Open(t)
	toolstest.Rules(t, g, bar+`, (:SYS_Policy {name: 'warns', active: true, severity: 'warn', requires: 'action.stakes < high'}),
		(:SYS_Policy {name: 'asleep', active: true, applies_when: 'action.category == "unheard"', requires: 'false'})`)
	history(t, env) // four decisions with high stakes, one act that was denied and retried, one denied act
	forced := toolstest.Record(t, env, decisions.Record{Decision: "Move it all", Confidence: 0.2, Category: "process",
		Stakes: "high", ExtraFields: decisions.ExtraFields{ForceReason: "no time"}})
	toolstest.Review(t, env, forced.ID, "failure")
	toolstest.WaitForWorkers(t, g)
	rules := reported(t, env, lab.ReportRequest{})
	strict := rules["sure"]
	graphtest.Values(t, "Applied, Violated, Denied, NotDone, Retried, Overridden", strict.Applied, 7, strict.Violated,
		3, strict.Denied, 2, strict.NotDone, 1, strict.Retried, 1, strict.Overridden, (lab.OverrideCount{Force: 1}))
	graphtest.Values(t, "InSpite, Otherwise, Precision", strict.InSpite, (lab.Outcomes{Failure: 1}), strict.Otherwise,
		(lab.Outcomes{Success: 2, Failure: 1, Unreviewed: 1}), strict.Precision == nil, true)
	warns := rules["warns"]
	graphtest.Values(t, "two successes and two failures in spite of a warning", warns.Violated == 0, false,
		warns.InSpite.Success, 2, warns.InSpite.Failure, 2)
	asleep := rules["asleep"]
	graphtest.Values(t, "Evaluated, Findings", asleep.Evaluated, 7, len(asleep.Findings), 0)
	g.Exec(t, "CREATE (:SYS_Policy {name: 'late', active: true, applies_when: 'action.category == \"unheard\"', requires: 'false'})", nil)
	for i := range 3 {
		checked(t, env, check.ActionCheck{Description: fmt.Sprintf("Read file %d", i), Confidence: sure(0.9)})
	}
	later := reported(t, env, lab.ReportRequest{})
	asleep = later["asleep"]
	graphtest.Values(t, "Evaluated, Findings", asleep.Evaluated, 10, asleep.Findings, []string{"never_applied"})
	if late := later["late"]; late.Evaluated > 3 || len(late.Findings) != 0 {
		t.Errorf("got findings %q after %d acts of a rule that came late, want none", late.Findings, late.Evaluated)
	}
	graphtest.Equal(t, len(reported(t, env, lab.ReportRequest{Rule: "sure"})), 1, "rules")
	if _, err := env.Lab.Report(t.Context(), lab.ReportRequest{Rule: "sur"}); !apperr.Is(err, apperr.NotFound) ||
		!strings.Contains(apperr.From(err).Hint, "sure") {
		t.Errorf("an unknown rule gave %v, want not_found and the near name", err)
	}
}

// TestReport_ManyReviews_GivesRatesAndFindings writes twelve acts that succeeded in spite of a warning, six
// overridden denials, and verdicts without facts.
func TestReport_ManyReviews_GivesRatesAndFindings(t *testing.T) {
	g, env := toolstest.Open(t)
	g.Exec(t, `UNWIND range(1, 18) AS i
		CREATE (v:Verdict {uid: 'v' + i, at: datetime('2026-01-01T00:00:00Z') + duration({hours: i}), allowed: i <= 12, agent: 'bo', stakes: 'high', inputs: '{}', inputs_kept: 'full', revision: 'x',
			schema_version: 2, action_key: 'k' + i, masked: [], applied: [CASE WHEN i <= 12 THEN 'warns' ELSE 'strict' END], applied_results: ['violated'], results: '{}', session: 's' + i})
		SET v.overridden_by = CASE WHEN i > 12 THEN 'approval' END, v.forced = CASE WHEN i > 12 THEN 'approved' END
		CREATE (v)-[:JUDGED]->(:Decision {uid: 'd' + i, id: right('0000000' + i, 8), decision: 'x', outcome: CASE WHEN i = 18 THEN 'partial' ELSE 'success' END, agent: 'bo', created_at: v.at})`, nil)
	g.Exec(t, `UNWIND range(1, 3) AS i CREATE (:Verdict {uid: 'old' + i, at: datetime('2025-01-01T00:00:00Z'), allowed: true, agent: 'bo', schema_version: 1, results: '{}', inputs: '{}'})`, nil)
	out := graphtest.Must(env.Lab.Report(t.Context(), lab.ReportRequest{}))(t)
	graphtest.Values(t, "Verdicts, Acts, Unknown", out.Verdicts, 21, out.Acts, 21, out.Unknown, 3)
	for _, rule := range out.Rules {
		switch rule.Rule {
		case "warns":
			low, high := statistics.Wilson(0, 12)
			if p := rule.Precision; p == nil || p.Hits != 0 || p.Of != 12 || p.Low != low || p.High != high ||
				!slices.Equal(rule.Findings, []string{"violations_never_fail"}) {
				t.Errorf("got %+v with findings %q, want 0 of 12 and violations_never_fail", rule.Precision,
					rule.Findings)
			}
		case "strict":
			graphtest.Values(t, "six approvals, always_overridden, mode removed", rule.Overridden.Approval, 6,
				rule.Findings, []string{"always_overridden"}, rule.Mode, "removed")
		}
	}
	for _, text := range []string{"Always overridden when it denied: strict", "Violating acts never failed: warns",
		"3 acts left out"} {
		graphtest.Contains(t, out.Summary, text)
	}
}

func TestReport_EmptyGraph_SaysThatThereAreNoVerdicts(t *testing.T) {
	_, env := toolstest.Open(t)
	out, err := env.Lab.Report(t.Context(), lab.ReportRequest{})
	if err != nil || len(out.Rules) != 0 || !strings.Contains(out.Summary, "no recorded verdicts") {
		t.Errorf(`got %+v, %v, want len(Rules)=0, Summary with "no recorded verdicts"`, out, err)
	}
}

// TestReport_Attacks_AreLimitedOrShown tries what agents can do to look better in a report. The threat model states
// the same limits.
func TestReport_Attacks_AreLimitedOrShown(t *testing.T) {
	g, env := toolstest.Open(t)
	g.Exec(t, `UNWIND ['one-session', 'new-sessions', 'forced', 'self-reviewed', 'renamed'] AS rule UNWIND range(1, 20) AS i
		CREATE (v:Verdict {uid: rule + i, at: datetime('2026-01-01T00:00:00Z') + duration({minutes: i}), allowed: rule <> 'forced', agent: 'bo', stakes: 'high', category: CASE rule WHEN 'renamed' THEN 'c' + i ELSE 'process' END, inputs: '{}',
			inputs_kept: 'full', revision: 'x', schema_version: 2, action_key: rule + i, masked: [], applied: [rule], applied_results: ['violated'], results: '{}', session: CASE rule WHEN 'one-session' THEN 's' ELSE rule + i END})
		SET v.overridden_by = CASE rule WHEN 'forced' THEN 'force' END, v.forced = CASE rule WHEN 'forced' THEN 'approved by Mia' END
		CREATE (v)-[:JUDGED]->(d:Decision {uid: 'd' + v.uid, id: v.uid, decision: 'x', outcome: 'success', agent: 'bo', created_at: v.at})
		CREATE (d)-[:HAS_REVIEW]->(:Review {number: 1, in_force: true, outcome: 'success', by: 'bo', by_proven: false, at: v.at})`, nil)
	rules := reported(t, env, lab.ReportRequest{})
	if p := rules["one-session"].Precision; p.Method != "sessions" || p.High < 0.7 {
		t.Errorf("20 easy acts of one session: got %+v, want the certainty of one case", p)
	}
	if p := rules["new-sessions"].Precision; p.Method != "wilson" || p.High > 0.2 {
		t.Errorf("20 easy acts of new sessions: got %+v, want the stated limit that they look independent", p)
	}
	forced := rules["forced"]
	graphtest.Values(t, "forced acts whose reason claims an approval", forced.Overridden,
		(lab.OverrideCount{Force: 20}), forced.InSpite.Success, 20)
	graphtest.Equal(t, rules["self-reviewed"].InSpite.Success, 20, "own reviews",
		"the stated limit that each outcome counts")
	graphtest.Equal(t, rules["renamed"].Violated, 20, "renamed categories", "violations")
	graphtest.Len(t, graphtest.Must(env.Lab.ReviewNext(t.Context(), lab.ReviewNextRequest{}))(t).Rules, 0,
		"nothing to review")
}
