package policies_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"nomograph/graph/graphtest"
	"nomograph/policies"
)

func TestApplyingRecordsWhoWhyAndFromWhatToWhat(t *testing.T) {
	g, store := newStore(t)
	text := func(version, value string) string {
		return "pack: mine\nversion: " + version + "\ndecision_tables:\n- table_id: D1_first\nthresholds:\n- {name: t, value: " + value +
			", decision_table: D1}\npolicies:\n- {name: p, active: true, decision_table: D1, uses_thresholds: [t]}\n"
	}
	mustApply(t, store, policies.ApplyRequest{Packs: packs(text("1.0.0", "1")), By: "ana"})
	mustApply(t, store, policies.ApplyRequest{Packs: packs(text("1.1.0", "2")), By: "ben", Reason: "two is better"})
	mustApply(t, store, policies.ApplyRequest{Packs: packs(text("1.2.0", "1")), By: "ana"})
	mustApply(t, store, policies.ApplyRequest{Packs: packs("pack: mine\nversion: 2.0.0\n"), By: "cleo", ApplyOptions: policies.ApplyOptions{Prune: true}})

	tests := map[string]struct {
		label string
		want  []string
	}{
		"t":        {"SYS_Threshold", []string{"applied ana: pack mine 1.0.0", "applied ben: two is better", "applied ana: pack mine 1.2.0", "removed cleo: pack mine 2.0.0"}},
		"p":        {"SYS_Policy", []string{"applied ana: pack mine 1.0.0", "removed cleo: pack mine 2.0.0"}},
		"D1_first": {"SYS_DecisionTable", []string{"applied ana: pack mine 1.0.0", "removed cleo: pack mine 2.0.0"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			chain := history(t, g, tt.label, name)
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
			t.Errorf("%v", rows)
		}
	})
}

func TestTheRecordedVersionIsTheOneThatIsRead(t *testing.T) {
	g, store := newStore(t)
	mustApply(t, store, policies.ApplyRequest{Packs: []policies.PackSource{{Name: "chrystallum"}, {Name: "core"}}})
	for _, name := range []string{"NoTemporalFacet", "no-deploy-on-red-build", "circuit-high-stakes"} {
		node, err := store.Policy(t.Context(), policies.PolicyQuery{Name: name})
		if err != nil {
			t.Fatal(err)
		}
		if chain := history(t, g, "SYS_Policy", name); len(chain) != 1 || chain[0]["to"] != node.Reading.Version {
			t.Errorf("%s: read %s, recorded %v", name, node.Reading.Version, chain)
		}
		versions := g.Rows(t, "MATCH (:SYS_Policy {name: $name})-[:HAS_VERSION]->(v:SYS_PolicyVersion) RETURN v.hash AS hash", map[string]any{"name": name})
		if len(versions) != 1 || versions[0]["hash"] != node.Reading.Version {
			t.Errorf("%s: versions %v", name, versions)
		}
	}
}

// history gives the changes of a name, oldest first, and checks that they are in the order of their ids too.
func history(t *testing.T, g *graphtest.Graph, label, name string) []map[string]any {
	t.Helper()
	rows := g.Rows(t, "MATCH (c:SYS_Change {label: $label, name: $name}) RETURN properties(c) AS change ORDER BY c.at, c.uid", map[string]any{"label": label, "name": name})
	changes := make([]map[string]any, len(rows))
	for i, row := range rows {
		changes[i] = row["change"].(map[string]any)
		if i > 0 && changes[i]["uid"].(string) < changes[i-1]["uid"].(string) {
			t.Errorf("the ids of changes run backwards: %v", changes)
		}
	}
	return changes
}

// fingerprint is the whole graph as text: every node with its labels and properties, and every relationship.
func fingerprint(t *testing.T, g *graphtest.Graph) string {
	t.Helper()
	rows := g.Rows(t, `MATCH (n)
		RETURN elementId(n) + ' ' + reduce(all = '', l IN labels(n) | all + ':' + l) AS id, properties(n) AS properties,
		       COLLECT { MATCH (n)-[r]->(m) RETURN type(r) + ' ' + elementId(m) + ' ' + coalesce(r.applied, '') AS link ORDER BY link } AS links
		ORDER BY id`, nil)
	var b strings.Builder
	for _, row := range rows {
		fmt.Fprintln(&b, row["id"], row["properties"], row["links"])
	}
	return b.String()
}

func packs(texts ...string) []policies.PackSource {
	sources := make([]policies.PackSource, len(texts))
	for i, text := range texts {
		sources[i] = policies.PackSource{Name: fmt.Sprintf("pack%d.yaml", i+1), Text: text}
	}
	return sources
}

func mustApply(t *testing.T, store *policies.Store, r policies.ApplyRequest) policies.ApplyResult {
	t.Helper()
	result, err := store.Apply(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	return result
}

// actions are the changes of a result: "action section name" each.
func actions(r policies.ApplyResult) []string {
	texts := []string{}
	for _, pack := range r.Packs {
		for _, c := range pack.Changes {
			texts = append(texts, c.Action+" "+c.Section+" "+c.Name)
		}
	}
	slices.Sort(texts)
	return texts
}
