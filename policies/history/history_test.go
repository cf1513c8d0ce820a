package history_test

import (
	"fmt"
	"slices"
	"testing"

	"nomograph/graph/graphtest"
	"nomograph/policies/change"
	"nomograph/policies/live"
	"nomograph/policies/pack"
	"nomograph/tools/toolstest"
)

func TestApply_Change_RecordsAuthorReasonAndVersions(t *testing.T) {
	g, env := toolstest.Open(t)
	text := func(version, value string) string {
		return "pack: mine\nversion: " + version + "\ndecision_tables:\n- table_id: D1_first\nthresholds:\n- {name: t, value: " + value +
			", decision_table: D1}\npolicies:\n- {name: p, active: true, decision_table: D1, uses_thresholds: [t]}\n"
	}
	toolstest.Apply(t, env, change.ApplyRequest{Packs: toolstest.Packs(text("1.0.0", "1")), By: "ana"})
	toolstest.Apply(t, env, change.ApplyRequest{Packs: toolstest.Packs(text("1.1.0", "2")), By: "ben",
		Reason: "two is better"})
	toolstest.Apply(t, env, change.ApplyRequest{Packs: toolstest.Packs(text("1.2.0", "1")), By: "ana"})
	toolstest.Apply(t, env, change.ApplyRequest{Packs: toolstest.Packs("pack: mine\nversion: 2.0.0\n"), By: "cleo",
		ApplyOptions: change.ApplyOptions{Prune: true}})

	tests := map[string]struct {
		label string
		want  []string
	}{
		"t": {"SYS_Threshold", []string{"applied ana: pack mine 1.0.0", "applied ben: two is better",
			"applied ana: pack mine 1.2.0", "removed cleo: pack mine 2.0.0"}},
		"p":        {"SYS_Policy", []string{"applied ana: pack mine 1.0.0", "removed cleo: pack mine 2.0.0"}},
		"D1_first": {"SYS_DecisionTable", []string{"applied ana: pack mine 1.0.0", "removed cleo: pack mine 2.0.0"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			chain := toolstest.Changes(t, g, tt.label, name)
			got := []string{}
			for i, c := range chain {
				got = append(got, fmt.Sprintf("%v %v: %v", c["kind"], c["by"], c["why"]))
				if i > 0 && c["from"] != chain[i-1]["to"] {
					t.Errorf("change %d begins at %v, the one before ended at %v", i, c["from"], chain[i-1]["to"])
				}
			}
			if !slices.Equal(got, tt.want) {
				t.Fatalf("got %q, want %q", got, tt.want)
			}
			if chain[0]["from"] != nil || chain[len(chain)-1]["to"] != nil {
				t.Errorf("it begins at %v and ends at %v", chain[0]["from"], chain[len(chain)-1]["to"])
			}
		})
	}
	t.Run("versions outlive the node", func(t *testing.T) {
		rows := g.Rows(t, "MATCH (v:SYS_ThresholdVersion {name: 't'}) RETURN v.hash AS hash", nil)
		if len(rows) != 2 || len(g.Rows(t, "MATCH (t:SYS_Threshold) RETURN t", nil)) != 0 {
			t.Errorf(`got %v, want len(rows)=2, len(g.Rows(t, "MATCH (t:SYS_Threshold) RETURN t", nil))=0`, rows)
		}
	})
}

func TestVersion_Recorded_EqualsTheVersionRead(t *testing.T) {
	g, env := toolstest.Open(t)
	toolstest.Apply(t, env, change.ApplyRequest{Packs: []pack.Source{{Name: "chrystallum"}, {Name: "core"}}})
	for _, name := range []string{"NoTemporalFacet", "no-deploy-on-red-build", "circuit-high-stakes"} {
		node := graphtest.Must(env.Live.Policy(t.Context(), live.PolicyQuery{Name: name}))(t)
		if chain := toolstest.Changes(t, g, "SYS_Policy", name); len(chain) != 1 ||
			chain[0]["to"] != node.Reading.Version {
			t.Errorf("%s: read %s, recorded %v", name, node.Reading.Version, chain)
		}
		versions := g.Rows(t, "MATCH (:SYS_Policy {name: $name})-[:HAS_VERSION]->(v:SYS_PolicyVersion) RETURN v.hash AS hash", map[string]any{"name": name})
		if len(versions) != 1 || versions[0]["hash"] != node.Reading.Version {
			t.Errorf("%s: versions %v", name, versions)
		}
	}
}
