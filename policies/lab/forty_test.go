package lab_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"nomograph/graph"
	"nomograph/policies/check"
	"nomograph/policies/lab"
	"nomograph/tools/toolstest"
)

// TestLab_FortyFailures_SaysWhatIsKnownAndWhatIsNot: five agents, 2,000 verdicts, 300 reviewed decisions and 40 failures.
func TestLab_FortyFailures_SaysWhatIsKnownAndWhatIsNot(t *testing.T) {
	g, env := toolstest.Open(t)
	toolstest.Rules(t, g, `(:SYS_Threshold {name: 'bar', value: 0.5})<-[:USES_THRESHOLD]-(:SYS_Policy {name: 'sure', active: true, requires: "action.confidence >= threshold('bar')"}),
		(:SYS_Policy {name: 'narrow', active: true, applies_when: 'has(action.params.percent)', requires: 'action.params.percent <= 25'})`)
	chance := rand.New(rand.NewPCG(40, 2000))
	rows, reviewed, failures := make([]any, 2000), 0, 0
	for i := range rows {
		confidence := 0.3 + 0.05*float64(chance.IntN(14))
		percent := []int{5, 10, 25, 50}[chance.IntN(4)]
		inputs, err := json.Marshal(check.ActionCheck{Description: fmt.Sprintf("Roll out %d", i), Category: []string{"process", "tooling", "security"}[i%3], Stakes: []string{"low", "medium", "high"}[i%3], Confidence: &confidence, Params: map[string]any{"percent": percent}})
		if err != nil {
			t.Fatal(err)
		}
		allowed := confidence >= 0.5 && percent <= 25
		violated, results := []string{}, `{"violations":[]}`
		if confidence < 0.5 {
			violated = append(violated, "sure")
		}
		if percent > 25 {
			violated = append(violated, "narrow")
		}
		if len(violated) > 0 {
			results = `{"violations":[{"guardrail_id":"` + strings.Join(violated, `"},{"guardrail_id":"`) + `"}]}`
		}
		outcome := ""
		if allowed && i%3 == 0 && reviewed < 300 {
			outcome, reviewed = "success", reviewed+1
			if failures < 40 && chance.Float64() < 0.15 {
				outcome, failures = "failure", failures+1
			}
		}
		rows[i] = map[string]any{"i": i, "inputs": string(inputs), "allowed": allowed, "violated": violated, "results": results, "outcome": outcome, "agent": fmt.Sprintf("agent-%d", i%5), "stakes": []string{"low", "medium", "high"}[i%3], "confidence": confidence}
	}
	g.Exec(t, `UNWIND $rows AS r
		CREATE (v:Verdict {uid: 'v' + r.i, at: datetime() - duration({minutes: 20 * (2000 - r.i)}), allowed: r.allowed, agent: r.agent, stakes: r.stakes, category: 'process', description: 'Roll out ' + r.i, inputs: r.inputs, inputs_kept: 'full',
			revision: 'x', schema_version: 2, action_key: 'k' + r.i, masked: [], applied: ['narrow', 'sure'], applied_results: [CASE WHEN 'narrow' IN r.violated THEN 'violated' ELSE 'passed' END, CASE WHEN 'sure' IN r.violated THEN 'violated' ELSE 'passed' END],
			results: r.results, objections: r.violated, session: 's' + (r.i / 5)})
		WITH r, v WHERE r.allowed
		CREATE (v)-[:JUDGED]->(:Decision {uid: 'd' + r.i, id: right('0000000' + r.i, 8), decision: 'Roll out ' + r.i, outcome: CASE r.outcome WHEN '' THEN null ELSE r.outcome END, status: CASE r.outcome WHEN '' THEN 'pending' ELSE 'reviewed' END,
			agent: r.agent, stakes: r.stakes, category: 'process', confidence: r.confidence, created_at: v.at})`, map[string]any{"rows": rows})
	var all strings.Builder
	say := func(name, summary string, err error) {
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		fmt.Fprintf(&all, "=== %s\n%s\n", name, summary)
	}
	replay, err := env.Lab.Replay(t.Context(), lab.Request{Change: lab.Change{Set: graph.Parameters{"bar": 0.6}}})
	say("replay", replay.Summary, err)
	report, err := env.Lab.Report(t.Context(), lab.ReportRequest{})
	say("report", report.Summary, err)
	learned, err := env.Lab.Learn(t.Context(), lab.LearnRequest{})
	say("learn", learned.Summary, err)
	tuned, err := env.Lab.Tune(t.Context(), lab.TuneRequest{Name: "bar"})
	say("tune", tuned.Summary, err)
	next, err := env.Lab.ReviewNext(t.Context(), lab.ReviewNextRequest{})
	say("review next", next.Summary, err)
	impact, err := env.Lab.PolicyImpact(t.Context(), lab.PolicyImpactRequest{Name: "sure"})
	say("impact", impact.Summary, err)
	if report.Verdicts != 2000 || learned.Failures != 40 || tuned.Failures != 40 || tuned.Successes != 260 {
		t.Errorf("got %d verdicts, %d and %d failures, %d successes, want 2000, 40, 40, 260", report.Verdicts, learned.Failures, tuned.Failures, tuned.Successes)
	}
	if replay.Today.Allowed+replay.Today.Denied+replay.BySession != 2000 {
		t.Errorf("today's rules allow %d and deny %d of 2000 acts", replay.Today.Allowed, replay.Today.Denied)
	}
	for _, text := range []string{
		"9 failures stopped, 50 successes blocked, 136 unknown; if the unknown acts are like the reviewed ones, it stops more successes than failures.",
		"Nothing sets the failures apart more than chance would",
		"With 300 acts and 40 failures a fact is found in four of five cases if:",
		"there is nothing to propose",
		"Looser values than those in force have no record",
		"drawn at random",
	} {
		if !strings.Contains(all.String(), text) {
			t.Errorf("no answer says %q in\n%s", text, all.String())
		}
	}
	t.Log(all.String())
}
