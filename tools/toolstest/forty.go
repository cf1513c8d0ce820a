package toolstest

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"testing"

	"nomograph/graph/graphtest"
	"nomograph/policies/check"
)

// Forty identifies what FortyFailures stored.
type Forty struct {
	Failed, Unreviewed string // ids of a failed decision, on which another depends, and of one without a review
	Exception          string
	Denied             string // id of a denial
}

// FortyFailures stores the history of a typical user: two rules and a threshold, five agents, 2,000 verdicts in 400
// sessions,
// 300 reviewed decisions with 40 failures, retries, forced and approved acts, an exception, a pending approval and an
// appeal.
func FortyFailures(t testing.TB, g *graphtest.Graph) Forty {
	t.Helper()
	Rules(t, g, `(:SYS_Threshold {name: 'bar', value: 0.5, unit: 'ratio'})<-[:USES_THRESHOLD]-(:SYS_Policy {name: 'sure', active: true, severity: 'block', requires: "has(action.confidence) && action.confidence >= threshold('bar')", message: 'Confidence must reach {threshold("bar")}'}),
		(:SYS_Policy {name: 'narrow', active: true, severity: 'block', applies_when: 'has(action.params.percent)', requires: 'action.params.percent <= 25', message: 'At most 25 percent at first'}),
		(:SYS_Policy {name: 'small-steps', active: true, mode: 'shadow', severity: 'block', applies_when: 'has(action.params.percent)', requires: 'action.params.percent <= 10', message: 'At most 10 percent'})`)
	// a seed whose failures are spread evenly, so that nothing is found at any time of a month
	out, rows := fortyRows(t, 258)
	g.Exec(t, `UNWIND range(0, 4) AS n CREATE (:Agent {key: 'agent-' + n, name: 'agent-' + n, uid: 'agent-' + n, schema_version: 1})`, nil)
	g.Exec(t, `UNWIND $rows AS r
		CREATE (v:Verdict {uid: 'verdict-' + r.i, at: datetime() - duration({minutes: 20 * (2000 - r.i)}), allowed: r.allowed, agent: r.agent, stakes: r.stakes, category: r.category, name: 'rollout', description: 'Roll out ' + r.i, inputs: r.inputs, inputs_kept: 'full',
			revision: 'x', schema_version: 2, action_key: r.key, masked: [], applied: ['narrow', 'small-steps', 'sure'], applied_results: r.applied_results, results: r.results, objections: r.objections, session: 'session-' + (r.i / 5), model: 'm1',
			enforced: NOT r.allowed AND r.by = '', overridden_by: CASE r.by WHEN '' THEN null ELSE r.by END, forced: CASE r.by WHEN '' THEN null ELSE 'it is urgent' END})
		WITH r, v WHERE r.recorded
		CREATE (v)-[:JUDGED]->(d:Decision {uid: 'decision-' + r.i, id: r.id, decision: 'Roll out ' + r.i, outcome: CASE r.outcome WHEN '' THEN null ELSE r.outcome END, status: CASE r.outcome WHEN '' THEN 'pending' ELSE 'reviewed' END,
			agent: r.agent, stakes: r.stakes, category: r.category, confidence: r.confidence, created_at: v.at, reviewed_at: CASE r.outcome WHEN '' THEN null ELSE v.at + duration('PT10M') END, visibility: 'shared', schema_version: 1})
		WITH r, d WHERE r.outcome <> ''
		CREATE (d)-[:HAS_REVIEW]->(:Review {uid: 'review-' + r.i, number: 1, in_force: true, outcome: r.outcome, by: r.reviewer, by_proven: true, source: 'person', at: d.reviewed_at})`, map[string]any{"rows": rows})
	out.Exception = "exception-1"
	g.Exec(t, `MATCH (v:Verdict {uid: $denied}), (failed:Decision {id: $failed}), (later:Decision {id: $unreviewed})
		CREATE (later)-[:DEPENDS_ON]->(failed)
		CREATE (:Appeal {uid: 'appeal-1', schema_version: 1, state: 'open', at: datetime(), reason: 'The rehearsal has no customers', agent: 'agent-1', agent_key: 'agent-1', asked_by: 'agent-1', rules: [rule IN v.objections WHERE rule <> "small-steps"], verdict: v.uid,
			description: v.description, denied_agent: v.agent})-[:AGAINST]->(v)
		CREATE (:Approval {uid: 'exception-1', state: 'granted', agent: 'agent-0', agent_key: 'agent-0', action: 'rollout', params: '{"percent":50}', params_hash: 'h1', why: 'The season begins', rules: ['narrow'], versions: [''], asked_at: datetime() - duration('P2D'),
			expires_at: datetime() - duration('P1D'), answered_by: 'mia', answered_at: datetime() - duration('P2D'), effective_at: datetime() - duration('P2D'), reason: 'Ten days', valid_until: datetime() + duration('P8D'), once: false, used: 3})
		CREATE (:Approval {uid: 'request-1', state: 'waiting', agent: 'agent-2', agent_key: 'agent-2', action: 'rollout', params: '{"percent":50}', params_hash: 'h2', why: 'A large customer', rules: ['narrow'], versions: [''], asked_at: datetime(), expires_at: datetime() + duration('P1D')})`,
		map[string]any{"denied": out.Denied, "failed": out.Failed, "unreviewed": out.Unreviewed})
	return out
}

// fortyRows makes the verdicts, the same for the same seed.
func fortyRows(t testing.TB, seed uint64) (Forty, []any) {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 2000))
	stakes, categories := []string{"low", "medium", "high"}, []string{"process", "tooling", "security"}
	var out Forty
	rows, reviewed, failures, retried := make([]any, 2000), 0, 0, -1
	for i := range rows {
		confidence, percent := 0.3+0.05*float64(rng.IntN(14)), []int{5, 10, 25, 50}[rng.IntN(4)]
		stake, category, key := stakes[rng.IntN(3)], categories[rng.IntN(3)], fmt.Sprintf("k%d", i)
		if retried >= 0 { // the agent tries the denied act again, with more confidence
			key, confidence, percent = fmt.Sprintf("k%d", retried), 0.55, 10
			retried = -1
		}
		c := check.ActionCheck{Description: fmt.Sprintf("Roll out %d", i), Name: "rollout", Category: category,
			Stakes: stake, Confidence: &confidence, Params: map[string]any{"percent": percent}}
		inputs := graphtest.Must(json.Marshal(c))(t)
		applied := map[string]bool{"sure": confidence < 0.5, "narrow": percent > 25, "small-steps": percent > 10}
		allowed := !applied["sure"] && !applied["narrow"]
		if !allowed && i%5 < 4 && rng.IntN(20) == 0 {
			retried = i
		}
		var by string
		if !allowed {
			by = []string{"force", "approval", "", "", "", "", "", "", "", "", ""}[rng.IntN(11)]
		}
		outcome := ""
		if (allowed || by != "") && reviewed < 300 && rng.IntN(3) == 0 {
			outcome, reviewed = "success", reviewed+1
			if failures < 40 && rng.IntN(7) == 0 {
				outcome, failures = "failure", failures+1
			}
		}
		result := func(rule string) string {
			if applied[rule] {
				return "violated"
			}
			return "passed"
		}
		violations := []any{}
		objections := []string{}
		for _, rule := range []string{"narrow", "small-steps", "sure"} {
			if applied[rule] {
				objections = append(objections, rule)
			}
			if applied[rule] && rule != "small-steps" {
				violations = append(violations, map[string]any{"guardrail_id": rule, "message": "violated",
					"result": "violated"})
			}
		}
		results := graphtest.Must(json.Marshal(map[string]any{"violations": violations, "warnings": []any{},
			"shadow": []any{}}))(t)
		id := fmt.Sprintf("%08x", 0xd0000+i)
		recorded := allowed && i%10 > 0 || by != ""
		switch {
		case outcome == "failure" && out.Failed == "":
			out.Failed = id
		case outcome == "" && allowed && recorded:
			out.Unreviewed = id
		case !allowed && by == "":
			out.Denied = fmt.Sprintf("verdict-%d", i)
		}
		if outcome != "" && !recorded {
			recorded = true
		}
		rows[i] = map[string]any{"i": i, "id": id, "inputs": string(inputs), "allowed": allowed,
			"results": string(results), "objections": objections, "outcome": outcome,
			"agent": fmt.Sprintf("agent-%d", i/5%5), "stakes": stake,
			"category": category, "confidence": confidence, "key": key, "by": by, "recorded": recorded,
			"reviewer":        []string{"mia", "ada"}[rng.IntN(2)],
			"applied_results": []string{result("narrow"), result("small-steps"), result("sure")}}
	}
	if failures != 40 || reviewed != 300 {
		t.Fatalf("got %d failures in %d reviews, want 40 in 300", failures, reviewed)
	}
	return out, rows
}
