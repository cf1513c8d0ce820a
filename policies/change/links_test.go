package change_test

import (
	"fmt"
	"strings"
	"testing"

	"nomograph/graph/graphtest"
	"nomograph/internal/apperr"
	"nomograph/internal/golden"
	"nomograph/policies/change"
	"nomograph/policies/live"
	"nomograph/policies/pack"
	"nomograph/tools/toolstest"
)

func linked(policy string) string {
	return "pack: mine\nversion: 1.0.0\ndecision_tables:\n- {table_id: D1_first, name: First}\n- {table_id: D2_second}\nthresholds:\n- {name: low, value: 1}\n- {name: high, value: 2}\npolicies:\n- {name: p, " + policy + "}\n"
}

func TestApply_Links_FollowThePack(t *testing.T) {
	g, env := toolstest.Open(t)
	g.Exec(t, "CREATE (:SYS_Threshold {name: 'elsewhere', value: 1})", nil)
	steps := []struct{ policy, want string }{
		{"decision_table: D1, uses_thresholds: [low]", "[GOVERNED_BY D1_first USES_THRESHOLD low]"},
		{"decision_table: D1, uses_thresholds: [low, high, elsewhere]",
			"[GOVERNED_BY D1_first USES_THRESHOLD elsewhere USES_THRESHOLD high USES_THRESHOLD low]"},
		{"decision_table: D2_second, uses_thresholds: [high]", "[GOVERNED_BY D2_second USES_THRESHOLD high]"},
		{"uses_thresholds: []", "[]"},
		{"decision_table: D9", "[]"},
		{"decision_table: D1_first", "[GOVERNED_BY D1_first]"},
	}
	for _, step := range steps {
		t.Run(step.policy, func(t *testing.T) {
			toolstest.ApplyText(t, env, linked(step.policy))
			golden.Equal(t, "links", linksOf(t, g, "p"), step.want)
			node, err := env.Live.Policy(t.Context(), live.PolicyQuery{Name: "p"})
			chain := toolstest.Changes(t, g, "SYS_Policy", "p")
			if err != nil || chain[len(chain)-1]["to"] != node.Reading.Version {
				t.Errorf("the history ends at %v, read is %s (%v)", chain[len(chain)-1]["to"], node.Reading.Version,
					err)
			}
			before := toolstest.Fingerprint(t, g)
			if again := toolstest.Actions(toolstest.ApplyText(t, env, linked(step.policy))); len(again) != 0 ||
				toolstest.Fingerprint(t, g) != before {
				t.Errorf("applied again: %v", again)
			}
		})
	}
}

func TestApply_LinksOfOthers_Stay(t *testing.T) {
	g, env := toolstest.Open(t)
	toolstest.ApplyText(t, env, linked("uses_thresholds: [low]"))
	g.Exec(t, "MATCH (p:SYS_Policy), (t:SYS_Threshold {name: 'high'}) CREATE (p)-[:USES_THRESHOLD]->(t), (p)-[:SEE_ALSO]->(t)", nil)
	toolstest.ApplyText(t, env, linked("decision_table: D1"))
	golden.Equal(t, "links", linksOf(t, g, "p"), "[GOVERNED_BY D1_first SEE_ALSO high USES_THRESHOLD high]")
}

func TestApply_LinkRemovedManually_IsDrift(t *testing.T) {
	g, env := toolstest.Open(t)
	text := linked("decision_table: D1, uses_thresholds: [low]")
	toolstest.ApplyText(t, env, text)
	g.Exec(t, "MATCH (:SYS_Policy)-[l:USES_THRESHOLD]->() DELETE l", nil)
	remaining := toolstest.ApplyText(t, env, text)
	if got := fmt.Sprint(toolstest.Actions(remaining)); got != "[drift policies p]" ||
		linksOf(t, g, "p") != "[GOVERNED_BY D1_first]" {
		t.Errorf("%s, links %s", got, linksOf(t, g, "p"))
	}
	toolstest.Apply(t, env, change.ApplyRequest{Packs: toolstest.Packs(text),
		ApplyOptions: change.ApplyOptions{Overwrite: true}})
	golden.Equal(t, "overwritten, the links", linksOf(t, g, "p"), "[GOVERNED_BY D1_first USES_THRESHOLD low]")
}

func TestApply_LinkToMissingNode_IsRefused(t *testing.T) {
	g, env := toolstest.Open(t)
	before := toolstest.Fingerprint(t, g)
	tests := map[string]struct{ text, want string }{
		"a threshold": {"pack: mine\nversion: 1.0.0\npolicies:\n- name: p\n  uses_thresholds: [none]\n",
			"'p' refers to thresholds 'none', which is neither in the pack nor in the graph"},
		"a table": {"pack: mine\nversion: 1.0.0\ndecision_tables:\n- table_id: D1\n  feeds_into: [D9]\n",
			"'D1' refers to decision_tables 'D9', which is neither in the pack nor in the graph"},
	}
	for name, tt := range tests {
		for _, dry := range []bool{false, true} {
			_, err := env.Change.Apply(t.Context(), change.ApplyRequest{Packs: toolstest.Packs(tt.text),
				ApplyOptions: change.ApplyOptions{DryRun: dry}})
			golden.Equal(t, name, toolstest.ErrorWithCode(t, err, apperr.Validation).Message, "pack1.yaml:4:3: "+
				tt.want)
			golden.Equal(t, name+": the graph", toolstest.Fingerprint(t, g), before)
		}
	}
}

func TestApply_LinkToNodeOfAnotherPack_IsCreated(t *testing.T) {
	g, env := toolstest.Open(t)
	toolstest.Apply(t, env, change.ApplyRequest{Packs: []pack.Source{{Name: "core"}}})
	toolstest.ApplyText(t, env, "pack: mine\nversion: 1.0.0\npolicies:\n- {name: p, uses_thresholds: [test_coverage_min]}\n")
	golden.Equal(t, "links", linksOf(t, g, "p"), "[USES_THRESHOLD test_coverage_min]")
	owners := g.Rows(t, "MATCH (k:SYS_Pack)-[:OWNS]->(:SYS_Threshold {name: 'test_coverage_min'}) RETURN k.name AS name", nil)
	golden.Equal(t, "owners", fmt.Sprint(owners), "[map[name:core]]")
}

func linksOf(t *testing.T, g *graphtest.Graph, policy string) string {
	t.Helper()
	rows := g.Rows(t, "MATCH (p:SYS_Policy {name: $name})-[l]->(n) WHERE NOT type(l) IN ['CHANGED', 'HAS_VERSION', 'CURRENT_VERSION'] RETURN type(l) + ' ' + coalesce(n.table_id, n.name) AS link ORDER BY link", map[string]any{"name": policy})
	links := []string{}
	for _, row := range rows {
		links = append(links, row["link"].(string))
	}
	return "[" + strings.Join(links, " ") + "]"
}
