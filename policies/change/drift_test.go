package change_test

import (
	"fmt"
	"strings"
	"testing"

	"nomograph/graph/graphtest"
	"nomograph/internal/golden"
	"nomograph/policies/change"
	"nomograph/tools/toolstest"
)

const driftPack = `pack: mine
version: 1.0.0
decision_tables:
- {table_id: T1_x, inputs: [n], rows: [{row_id: r, outputs: {go: true}}]}
thresholds:
- {name: bar, value: 1}
policies:
- {name: rule, active: true, requires: "true", uses_thresholds: [bar]}
- {name: other, active: true, requires: "true"}
`

// driftOf returns the drift of the only pack, as pack list shows it.
func driftOf(t *testing.T, list change.PackList) string {
	t.Helper()
	if list.Total != 1 {
		t.Fatalf("got %d packs, want 1", list.Total)
	}
	return strings.Join(list.Packs[0].Drift, ", ") + "; deleted: " + strings.Join(list.Packs[0].Deleted, ", ")
}

func TestPackList_EveryManualEdit_IsDrift(t *testing.T) {
	g, env := toolstest.Open(t)
	for _, row := range golden.Rows(t, "testdata/edits.txt") {
		t.Run(row[0], func(t *testing.T) {
			g.Exec(t, "MATCH (n) WHERE NOT n:SYS_Migration AND NOT n:SYS_MigrationLock DETACH DELETE n", nil)
			toolstest.ApplyText(t, env, driftPack)
			if row[2] != "" {
				g.Exec(t, row[2], nil)
			}
			list := graphtest.Must(env.Change.Packs(t.Context(), change.PacksQuery{}))(t)
			golden.Equal(t, "drift", strings.TrimSpace(driftOf(t, list)), row[1])
		})
	}
}

func TestApply_DeletedRule_IsDriftUntilOverwritten(t *testing.T) {
	g, env := toolstest.Open(t)
	toolstest.ApplyText(t, env, driftPack)
	g.Exec(t, "MATCH (p:SYS_Policy {name: 'rule'}) DETACH DELETE p", nil)

	dry := toolstest.Apply(t, env, change.ApplyRequest{Packs: toolstest.Packs(driftPack),
		ApplyOptions: change.ApplyOptions{DryRun: true}})
	if got := fmt.Sprint(toolstest.Actions(dry)); got != "[drift policies rule]" || !dry.Packs[0].Changes[0].Deleted ||
		!strings.Contains(dry.Summary, "policy rule: deleted in the graph (--overwrite brings it back)") {
		t.Errorf("diff says %s\n%s", got, dry.Summary)
	}
	if chain := toolstest.Changes(t, g, "SYS_Policy", "rule"); len(chain) != 1 {
		t.Errorf("a dry run recorded %v", chain)
	}

	for range 2 { // applying it again records nothing more
		remaining := toolstest.ApplyText(t, env, driftPack)
		golden.Equal(t, "what apply did", fmt.Sprint(toolstest.Actions(remaining)), "[drift policies rule]")
		chain := toolstest.Changes(t, g, "SYS_Policy", "rule")
		if len(chain) != 2 || chain[1]["kind"] != "observed" || chain[1]["to"] != nil ||
			chain[1]["from"] != chain[0]["to"] || chain[1]["since"] == nil {
			t.Errorf("the history is %v", chain)
		}
	}

	back := toolstest.Apply(t, env, change.ApplyRequest{Packs: toolstest.Packs(driftPack),
		ApplyOptions: change.ApplyOptions{Overwrite: true}, By: "ana"})
	if got := fmt.Sprint(toolstest.Actions(back)); got != "[create policies rule]" ||
		!strings.Contains(back.Summary, "policy rule: created, because it was deleted in the graph") {
		t.Errorf("overwriting did %s\n%s", got, back.Summary)
	}
	chain := toolstest.Changes(t, g, "SYS_Policy", "rule")
	if len(chain) != 3 || chain[2]["kind"] != "applied" || chain[2]["by"] != "ana" || chain[2]["to"] != chain[0]["to"] {
		t.Errorf("the history is %v", chain)
	}
	golden.Equal(t, "the links", linksOf(t, g, "rule"), "[USES_THRESHOLD bar]")
}

func TestApply_DeletedRuleThatThePackChanged_IsCreated(t *testing.T) {
	g, env := toolstest.Open(t)
	toolstest.ApplyText(t, env, driftPack)
	g.Exec(t, "MATCH (p:SYS_Policy {name: 'rule'}) DETACH DELETE p", nil)
	next := strings.Replace(driftPack, "{name: rule, active: true,", "{name: rule, active: true, priority: 1,", 1)
	both := toolstest.ApplyText(t, env, next)
	golden.Equal(t, "what apply did", fmt.Sprint(toolstest.Actions(both)), "[create policies rule]")
	kinds := ""
	for _, c := range toolstest.Changes(t, g, "SYS_Policy", "rule") {
		kinds += fmt.Sprint(c["kind"], " ", c["to"] != nil, "; ")
	}
	golden.Equal(t, "the history", kinds, "applied true; observed false; applied true; ")
}

func TestApply_DeletedThreshold_IsRestoredWithLinks(t *testing.T) {
	g, env := toolstest.Open(t)
	toolstest.ApplyText(t, env, driftPack)
	g.Exec(t, "MATCH (t:SYS_Threshold {name: 'bar'}) DETACH DELETE t", nil)
	remaining := toolstest.ApplyText(t, env, driftPack)
	golden.Equal(t, "what apply did", fmt.Sprint(toolstest.Actions(remaining)),
		"[drift policies rule drift thresholds bar]")
	toolstest.Apply(t, env, change.ApplyRequest{Packs: toolstest.Packs(driftPack),
		ApplyOptions: change.ApplyOptions{Overwrite: true}})
	golden.Equal(t, "the links", linksOf(t, g, "rule"), "[USES_THRESHOLD bar]")
	list, err := env.Change.Packs(t.Context(), change.PacksQuery{})
	if err != nil || driftOf(t, list) != "; deleted: " {
		t.Errorf("the drift is %s (%v)", driftOf(t, list), err)
	}
}

func TestApply_RowAddedManually_IsRemovedByOverwrite(t *testing.T) {
	g, env := toolstest.Open(t)
	toolstest.ApplyText(t, env, driftPack)
	g.Exec(t, "MATCH (t:SYS_DecisionTable) CREATE (t)-[:HAS_ROW]->(:SYS_DecisionRow {row_id: 'first', priority: 0, outputs: '{}'})", nil)
	remaining := toolstest.ApplyText(t, env, driftPack)
	if want := "    links: [\"HAS_ROW first\"] here, (none) in the pack\n"; !strings.Contains(remaining.Summary, want) {
		t.Errorf("got\n%s\nwant %s", remaining.Summary, want)
	}
	toolstest.Apply(t, env, change.ApplyRequest{Packs: toolstest.Packs(driftPack),
		ApplyOptions: change.ApplyOptions{Overwrite: true}})
	golden.Equal(t, "the rows", fmt.Sprint(g.Rows(t, "MATCH (:SYS_DecisionTable)-[:HAS_ROW]->(r) RETURN r.row_id AS id",
		nil)), "[map[id:r]]")
}

func TestApply_AdoptedForeignNode_KeepsPropertiesOfOthers(t *testing.T) {
	g, env := toolstest.Open(t)
	g.Exec(t, "CREATE (:SYS_Policy {name: 'rule', mode: 'off', reviewed_in: 'ADR-7'})", nil)
	adopted := toolstest.Apply(t, env, change.ApplyRequest{Packs: toolstest.Packs(driftPack),
		ApplyOptions: change.ApplyOptions{Adopt: true}})
	if !strings.Contains(adopted.Summary, "    mode: off here, (none) in the pack\n") ||
		strings.Contains(adopted.Summary, "reviewed_in") {
		t.Errorf("got\n%s\nwant the line of mode, none of reviewed_in", adopted.Summary)
	}
	toolstest.Apply(t, env, change.ApplyRequest{Packs: toolstest.Packs(driftPack),
		ApplyOptions: change.ApplyOptions{Overwrite: true}})
	rows := g.Rows(t, "MATCH (p:SYS_Policy {name: 'rule'}) RETURN p.mode AS mode, p.reviewed_in AS reviewed", nil)
	golden.Equal(t, "overwritten", fmt.Sprint(rows), "[map[mode:<nil> reviewed:ADR-7]]")
}

func TestApply_Annotation_IsDistinguishedFromDrift(t *testing.T) {
	g, env := toolstest.Open(t)
	toolstest.ApplyText(t, env, driftPack)
	g.Exec(t, "MATCH (p:SYS_Policy {name: 'rule'}) SET p.note = 'x';\nMATCH (p:SYS_Policy {name: 'other'}) SET p.note = 'x', p.mode = 'off'", nil)
	next := strings.Replace(driftPack, "{name: rule, active: true,", "{name: rule, active: true, priority: 1,", 1)
	for _, want := range []string{"policy rule: annotated in the graph (nothing reads it, so it stays)\n    note: x here, (none) in the pack\n",
		"policy other: kept as changed in the graph (--overwrite resets it)\n    mode: off here"} {
		golden.Contains(t, "the summary", toolstest.ApplyText(t, env, next).Summary, want)
	}
}

func TestApply_NodeAdoptedByAnotherPack_FirstPackKeepsIt(t *testing.T) {
	_, env := toolstest.Open(t)
	toolstest.ApplyText(t, env, driftPack)
	toolstest.Apply(t, env, change.ApplyRequest{Packs: toolstest.Packs("pack: second\nversion: 1.0.0\npolicies:\n- {name: other, active: true, requires: \"true\"}\n"), ApplyOptions: change.ApplyOptions{Adopt: true}})
	list, err := env.Change.Packs(t.Context(), change.PacksQuery{})
	if err != nil || list.Total != 2 || len(list.Packs[0].Drift)+len(list.Packs[1].Drift) != 0 {
		t.Errorf("got %+v (%v), want Total=2, (len(list.Packs[0].Drift) + len(list.Packs[1].Drift))=0", list.Packs, err)
	}
}

func TestApply_RemovedAndDeletedNode_IsNoLongerTracked(t *testing.T) {
	g, env := toolstest.Open(t)
	toolstest.ApplyText(t, env, driftPack)
	next := strings.Replace(driftPack, "- {name: other, active: true, requires: \"true\"}\n", "", 1)
	toolstest.ApplyText(t, env, next)
	g.Exec(t, "MATCH (p:SYS_Policy {name: 'other'}) DETACH DELETE p", nil)
	list, err := env.Change.Packs(t.Context(), change.PacksQuery{})
	if err != nil || driftOf(t, list) != "policy other; deleted: policy other" {
		t.Errorf(`got %s (%v), want driftOf(t, list)="policy other; deleted: policy other"`, driftOf(t, list), err)
	}
	toolstest.ApplyText(t, env, next)
	if list, err = env.Change.Packs(t.Context(), change.PacksQuery{}); err != nil || driftOf(t, list) != "; deleted: " {
		t.Errorf("after the next apply: %s (%v)", driftOf(t, list), err)
	}
}
