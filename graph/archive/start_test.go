package archive_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"nomograph/graph/archive"
	"nomograph/graph/graphtest"
	"nomograph/policies"
	"nomograph/policies/change"
	"nomograph/tools/toolstest"
)

// TestImport_GraphOfItsStart_BecomesTheArchive imports a graph with changed rules into one that a start filled.
// Whatever somebody else did in that graph makes the differences conflicts instead.
func TestImport_GraphOfItsStart_BecomesTheArchive(t *testing.T) {
	g := graphtest.New(t)
	env := toolstest.App(t, g.DB)
	start := func() {
		t.Helper()
		wipe(t, g)
		graphtest.OK(t, env.Change.FirstStart(t.Context(), nil, "nomograph"))
	}
	set := func(value float64, reason string) {
		t.Helper()
		graphtest.Must(env.Change.SetThreshold(t.Context(),
			change.ThresholdChange{Name: "high_stakes_min_confidence", Value: policies.ValueOf(value), Reason: reason,
				By: "test"}))(t)
	}
	options := archive.ImportOptions{StartReasons: change.StartReasons()}
	value := func() any {
		return g.Rows(t, "MATCH (t:SYS_Threshold {name: 'high_stakes_min_confidence'}) RETURN t.value AS value",
			nil)[0]["value"]
	}
	start()
	unchanged, _ := export(t, g, archive.ExportOptions{})
	set(0.6, "reviewed")
	changed, _ := export(t, g, archive.ExportOptions{})
	g.Exec(t, "MATCH (:SYS_Pack)-[o:OWNS]->(n) DETACH DELETE n", nil)
	graphtest.Must(env.History.Sync(t.Context()))(t)
	emptied, _ := export(t, g, archive.ExportOptions{})

	for name, text := range map[string]string{"unchanged": unchanged, "changed": changed,
		"all rules deleted": emptied} {
		t.Run(name, func(t *testing.T) {
			start()
			for n, want := range []string{"", "all is there"} {
				got := imported(t, g, text, options)
				if got.Nodes.Conflicts+got.Relationships.Conflicts > 0 ||
					got.Nodes.Created+got.Relationships.Created > 0 && want != "" {
					t.Errorf("import %d: got %s, want no conflict, and nothing created the second time", n+1,
						toolstest.Text(got))
				}
				again, _ := export(t, g, archive.ExportOptions{})
				if diff := cmp.Diff(canonical(t, text), canonical(t, again)); diff != "" {
					t.Errorf("import %d: %s", n+1, diff)
				}
			}
		})
	}
	for name, act := range map[string]func(){
		"a threshold was set": func() { set(0.7, "ours") },
		"an edit by hand": func() {
			g.Exec(t, "MATCH (t:SYS_Threshold {name: 'high_stakes_min_confidence'}) SET t.value = 0.7", nil)
		},
		"a rule by hand": func() { set(0.7, "first start"); g.Exec(t, "CREATE (:SYS_Policy {name: 'mine'})", nil) },
		"a link to a foreign node": func() {
			set(0.7, "first start")
			g.Exec(t, "MATCH (p:SYS_Policy) WITH p LIMIT 1 CREATE (p)-[:LIKES]->(:Person)", nil)
		},
		"a decision": func() {
			set(0.7, "first start")
			g.Exec(t, "CREATE (:Decision {uid: 'x', id: 'x'})", nil)
		},
		"a verdict": func() { set(0.7, "first start"); g.Exec(t, "CREATE (:Verdict {uid: 'x'})", nil) },
		"a concept of another pack": func() {
			set(0.7, "first start")
			g.Exec(t, "CREATE (:SubjectConcept {subject_id: 'x'})", nil)
		},
	} {
		t.Run(name, func(t *testing.T) {
			start()
			act()
			graphtest.Must(env.History.Sync(t.Context()))(t)
			got := imported(t, g, changed, options)
			if value() != 0.7 || got.Nodes.Conflicts == 0 ||
				!strings.Contains(toolstest.Text(got), "SYS_Threshold high_stakes_min_confidence") {
				t.Errorf("got the value %v and %s, want 0.7 and a conflict", value(), toolstest.Text(got))
			}
		})
	}
}
