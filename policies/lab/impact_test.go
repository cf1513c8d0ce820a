package lab_test

import (
	"strings"
	"testing"
	"time"

	"nomograph/decisions"
	"nomograph/graph/graphtest"
	"nomograph/internal/apperr"
	"nomograph/internal/golden"
	"nomograph/policies"
	"nomograph/policies/lab"
	"nomograph/tools/toolstest"
)

func TestImpact_PolicyThresholdDecision_ListWhatDepends(t *testing.T) {
	g, env := toolstest.Open(t)
	toolstest.Rules(t, g, bar+`, (:SYS_Pack {name: 'mine'}), (:SYS_DecisionTable {table_id: 'T1'}), (:SYS_Policy {name: 'asleep', active: false, requires: 'false'})`)
	g.Exec(t, `MATCH (p:SYS_Policy {name: 'sure'}), (h:SYS_Threshold {name: 'bar'}), (k:SYS_Pack), (t:SYS_DecisionTable)
		CREATE (k)-[:OWNS]->(p), (k)-[:OWNS]->(h), (t)-[:HAS_ROW]->(:SYS_DecisionRow {row_id: 'r', conditions: 'inputs.x > threshold("bar")'}),
		(:Approval {uid: 'a1', state: 'granted', agent: 'bo', agent_key: 'bo', action: 'deploy', rules: ['sure'], versions: ['v'], asked_at: datetime(), valid_until: datetime() + duration('PT1H'), once: false, used: 2}),
		(:Approval {uid: 'a2', state: 'waiting', agent: 'bo', agent_key: 'bo', action: 'drop', rules: ['sure', 'other'], versions: ['v', 'w'], asked_at: datetime(), expires_at: datetime() + duration('PT1H'), used: 0}),
		(:Approval {uid: 'a3', state: 'granted', agent: 'bo', agent_key: 'bo', action: 'past', rules: ['sure'], versions: ['v'], asked_at: datetime(), valid_until: datetime() - duration('PT1H'), once: false, used: 0})`, nil)
	history(t, env)
	failed := toolstest.Record(t, env, decisions.Record{Decision: "Move the disk", Confidence: 0.58,
		Category: "process", Stakes: "high"})
	toolstest.Review(t, env, failed.ID, "failure")
	on := toolstest.Record(t, env, decisions.Record{Decision: "Sell the old disk", Confidence: 0.9, Category: "process",
		Stakes: "low"})
	further := toolstest.Record(t, env, decisions.Record{Decision: "Rent the room", Confidence: 0.9,
		Category: "process", Stakes: "low"})
	toolstest.Link(t, env, on.ID, "depends_on", failed.ID)
	toolstest.Link(t, env, further.ID, "depends_on", on.ID)
	toolstest.WaitForWorkers(t, g)
	before := toolstest.Fingerprint(t, g)
	graphtest.Until(t, "background work has ended", func() bool {
		earlier := before
		time.Sleep(100 * time.Millisecond) // between two comparisons
		before = toolstest.Fingerprint(t, g)
		return before == earlier
	})

	threshold := graphtest.Must(env.Lab.ThresholdImpact(t.Context(),
		lab.ThresholdImpactRequest{Name: "bar", To: policies.ValueOf(0.7)}))(t)
	if f := threshold.Flips; f.Blocked.Acts != 5 || f.Blocked.Exact != 5 || f.Freed.Acts != 0 ||
		f.Blocked.Outcomes.Failure != 2 {
		t.Errorf("got %+v, want 5 exact newly denied acts, 2 of them failures", f)
	}
	if got := toolstest.Text(threshold.Tables) + toolstest.Text(threshold.Packs); len(threshold.Tables) != 1 ||
		len(threshold.Packs) != 1 {
		t.Errorf("got %s, want table T1 and pack mine", got)
	}
	if r := threshold.Rules; len(r) != 1 || r[0].Rule != "sure" || r[0].How != "reads" || r[0].Before != 2 ||
		r[0].After != 7 {
		t.Errorf("got rules %+v", r)
	}
	if len(threshold.Exceptions) != 1 || threshold.Exceptions[0].ApprovalID != "a1" || len(threshold.Pending) != 1 ||
		threshold.Pending[0].ApprovalID != "a2" {
		t.Errorf("got exceptions %+v, pending %+v, want a1 and a2", threshold.Exceptions, threshold.Pending)
	}
	if d := threshold.Dependents; len(d) != 1 || d[0].ID != on.ID || d[0].Via != failed.ID {
		t.Errorf("got dependents %+v, want that of the flipped failure", d)
	}

	policy := graphtest.Must(env.Lab.PolicyImpact(t.Context(), lab.PolicyImpactRequest{Name: "sure"}))(t)
	if policy.Flips.Freed.Acts != 1 || policy.Flips.Freed.NotDone != 1 ||
		policy.Change[0] != "rule sure: enforce → off" || len(policy.Thresholds) != 1 {
		t.Errorf("got %+v with change %v, want one act that turning the rule off allows", policy.Flips, policy.Change)
	}
	asleep, err := env.Lab.PolicyImpact(t.Context(), lab.PolicyImpactRequest{Name: "asleep"})
	if err != nil || asleep.Flips != nil || !strings.Contains(asleep.Summary, "inactive") {
		t.Errorf("got %+v, %v for an inactive policy, want Flips=nil, Summary with inactive", asleep, err)
	}

	resolved := graphtest.Must(env.Decisions.Resolve(t.Context(), failed.ID))(t)
	decision := graphtest.Must(env.Lab.DecisionImpact(t.Context(), lab.DecisionImpactRequest{UID: resolved.UID}))(t)
	if d := decision.Dependents; len(d) != 2 || d[1].ID != further.ID || d[1].Distance != 2 {
		t.Errorf("got dependents %+v, want two, the second at distance 2", d)
	}
	if len(decision.Rules) != 1 || decision.Rules[0].Result != "passed" || decision.Rules[0].Exact != 1 {
		t.Errorf("got rules %+v, want that the rule of today passes", decision.Rules)
	}
	golden.Equal(t, "the second answer", graphtest.Must(env.Lab.ThresholdImpact(t.Context(),
		lab.ThresholdImpactRequest{Name: "bar", To: policies.ValueOf(0.7)}))(t).Summary, threshold.Summary)
	golden.Equal(t, "the graph after an impact", toolstest.Fingerprint(t, g), before)

	g.Exec(t, "CREATE (:SYS_Policy {name: 'looks', active: true, forbids_pattern: 'MATCH (m:Marker) RETURN m.name AS name'})", nil)
	lower, err := env.Lab.ThresholdImpact(t.Context(),
		lab.ThresholdImpactRequest{Name: "bar", To: policies.ValueOf(0.1)})
	if err != nil || lower.Flips.Undetermined == 0 ||
		!strings.Contains(strings.Join(lower.Notes, "\n"), "a replay of the change includes them") {
		t.Errorf("got %+v with notes %q, %v, want undetermined acts and the reason", lower.Flips, lower.Notes, err)
	}
}

func TestImpact_WrongArguments_SayWhatToDo(t *testing.T) {
	g, env := toolstest.Open(t)
	toolstest.Rules(t, g, bar)
	_, policy := env.Lab.PolicyImpact(t.Context(), lab.PolicyImpactRequest{Name: "sur"})
	_, threshold := env.Lab.ThresholdImpact(t.Context(),
		lab.ThresholdImpactRequest{Name: "baar", To: policies.ValueOf(1.0)})
	_, value := env.Lab.ThresholdImpact(t.Context(), lab.ThresholdImpactRequest{Name: "bar", To: policies.ValueOf(7.0)})
	_, decision := env.Lab.DecisionImpact(t.Context(), lab.DecisionImpactRequest{ID: "x", UID: "x"})
	for i, test := range []struct {
		err  error
		code apperr.Code
	}{{policy, apperr.NotFound}, {threshold, apperr.NotFound}, {value, apperr.Validation},
		{decision, apperr.NotFound}} {
		if !apperr.Is(test.err, test.code) || apperr.From(test.err).Hint == "" {
			t.Errorf("%d: got %v, want %s with a hint", i, test.err, test.code)
		}
	}
}
