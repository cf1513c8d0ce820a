package check_test

import (
	"testing"

	"nomograph/graph/graphtest"
	"nomograph/policies"
	"nomograph/policies/change"
	"nomograph/policies/check"
	"nomograph/policies/live"
	"nomograph/policies/pack"
	"nomograph/tools/toolstest"
)

// TestPolicies_List_ShowsTheEffect: a policy that looks active but evaluates nothing is listed as data.
func TestPolicies_List_ShowsTheEffect(t *testing.T) {
	g, env := toolstest.Open(t)
	toolstest.Rules(t, g, `(:SYS_Policy {name: 'blocks', active: true, requires: 'true'}), (:SYS_Policy {name: 'warns', active: true, requires: 'true', severity: 'warn'}),
		(:SYS_Policy {name: 'tries', active: true, requires: 'true', severity: 'warn', mode: 'shadow'}), (:SYS_Policy {name: 'rests', active: true, requires: 'true', mode: 'off'}),
		(:SYS_Policy {name: 'sleeps', active: false, forbids_pattern: 'RETURN 1 AS x'}), (:SYS_Policy {name: 'says nothing', requires: 'true'}), (:SYS_Policy {name: 'promises', active: true, description: 'Never.'}),
		(:SYS_Policy {name: 'cannot be read', active: 'true', requires: 'true', severity: 'warn'}), (:SYS_Policy {name: 'reads', active: true, forbids_pattern: 'MATCH (n:None) WHERE n.x > $threshold.bar RETURN n'}),
		(:SYS_Policy {name: 'compares', active: true, applies_when: 'has(action.confidence)', requires: 'action.confidence >= threshold("floor") && action.confidence < threshold("budget", project)'})`)
	want := map[string]policies.PolicyEffect{"blocks": {Effect: "block"}, "warns": {Effect: "warn"},
		"tries": {Effect: "shadow"}, "rests": {Effect: "off"}, "sleeps": {Effect: "off"},
		"says nothing": {Effect: "off"}, "promises": {Effect: "data"},
		"cannot be read": {Effect: "warn", Problem: "active is 'true' (string), neither true nor false"},
		"reads":          {Effect: "block", Problem: "forbids_pattern reads the threshold 'bar', to which the policy is not linked", Thresholds: []string{"bar"}},
		"compares":       {Effect: "block", Thresholds: []string{"budget", "floor"}}}
	list, err := env.Live.Policies(t.Context(), live.PolicyFilter{})
	if err != nil || len(list.Policies) != len(want) {
		t.Fatalf("got %+v %v, want len(Policies)=%d", list, err, len(want))
	}
	for _, row := range list.Policies {
		name := row.Name.(string)
		graphtest.Equal(t, row.Reading, want[name], name, "in the list")
		graphtest.Equal(t, graphtest.Must(env.Live.Policy(t.Context(),
			live.PolicyQuery{Name: name}))(t).Reading.PolicyEffect, want[name], name)
	}
	g.Exec(t, "CREATE (:SYS_Threshold {name: 'bar', value: 1}) WITH 1 AS x MATCH (p:SYS_Policy {name: 'reads'}), (t:SYS_Threshold) CREATE (p)-[:USES_THRESHOLD]->(t)", nil)
	graphtest.Equal(t, graphtest.Must(env.Live.Policy(t.Context(),
		live.PolicyQuery{Name: "reads"}))(t).Reading.PolicyEffect,
		policies.PolicyEffect{Effect: "block", Thresholds: []string{"bar"}}, "linked")
}

// TestCorePack_Descriptions_MatchItsRules: each policy of core either evaluates actions or says that it does not.
func TestCorePack_Descriptions_MatchItsRules(t *testing.T) {
	_, env := toolstest.Open(t)
	toolstest.Apply(t, env, change.ApplyRequest{Packs: []pack.Source{{Name: "core"}}})
	list, err := env.Live.Policies(t.Context(), live.PolicyFilter{})
	if err != nil || list.Total != 11 {
		t.Fatalf("got %+v %v, want Total=11", list, err)
	}
	counts := map[string]int{}
	for _, row := range list.Policies {
		counts[row.Reading.Effect]++
	}
	graphtest.Values(t, "block, warn, data", counts["block"], 7, counts["warn"], 2, counts["data"], 2)
	v := graphtest.Must(env.Checks.Check(t.Context(),
		check.ActionCheck{Description: "Publish my work", Name: "shell.run",
			Params: map[string]any{"command": "git push --force origin main"}}))(t)
	graphtest.Values(t, "Allowed, Violations, WouldPass", v.Allowed, false, ids(v.Violations)[0],
		"no-force-push-to-main", len(v.Violations[0].WouldPass), 0)
}
