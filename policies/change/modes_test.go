package change_test

import (
	"strconv"
	"strings"
	"testing"

	"nomograph/graph/graphtest"
	"nomograph/internal/golden"
	"nomograph/policies/change"
	"nomograph/policies/pack"
	"nomograph/tools/toolstest"
)

func TestApply_WithMode_NextApplyKeepsTheMode(t *testing.T) {
	g, env := toolstest.Open(t)
	text := "pack: mine\nversion: 1.0.0\npolicies:\n- {name: p, active: true, requires: 'true', mode: shadow}\n- {name: q, active: true, requires: 'true', mode: enforce}\n- {name: r, active: true, requires: 'true'}\n- {name: data, a: 1}\n"
	apply := func(mode string, o change.ApplyOptions) change.PackApplied {
		t.Helper()
		result := graphtest.Must(env.Change.Apply(t.Context(),
			change.ApplyRequest{Packs: []pack.Source{{Name: "mine.yaml", Text: text}}, Mode: mode, ApplyOptions: o,
				By: "ana"}))(t)
		return result.Packs[0]
	}
	mode := func(name string) any {
		return g.Rows(t, "MATCH (p:SYS_Policy {name: $name}) RETURN p.mode AS mode",
			map[string]any{"name": name})[0]["mode"]
	}
	for _, row := range golden.Rows(t, "testdata/modes.txt") {
		asked, options, _ := strings.Cut(row[0], ", ")
		got := apply(strings.TrimPrefix(asked, "with no mode"), change.ApplyOptions{DryRun: options == "as a dry run",
			Overwrite: options == "overwriting"})
		drifts := ""
		if len(row) > 3 {
			drifts = "policy p"
			g.Exec(t, "MATCH (p:SYS_Policy {name: 'p'}) SET p.mode = $mode", map[string]any{"mode": row[3]})
		}
		list := graphtest.Must(env.Change.Packs(t.Context(), change.PacksQuery{}))(t)
		if drift := strings.Join(list.Packs[0].Drift, ", "); strconv.Itoa(got.Switched) != row[1] ||
			mode("p") != row[2] || mode("data") != nil || drift != drifts {
			t.Errorf("%q: switched %d, mode %v, data %v, drift %q", row, got.Switched, mode("p"), mode("data"), drift)
		}
	}
	apply("enforce", change.ApplyOptions{})
	text = strings.Replace(text, "mode: shadow", "mode: 'off'", 1) // the pack's next version
	if got := apply("", change.ApplyOptions{}); mode("p") != "enforce" || len(got.Changes) > 0 {
		t.Errorf("after the pack changed its mode: got %v with changes %v, want enforce without changes", mode("p"),
			got.Changes)
	}
	text = strings.Replace(text, "- {name: r, active: true, requires: 'true'}\n", "", 1)
	if got := apply("", change.ApplyOptions{Prune: true}); len(got.Changes) != 1 || got.Changes[0].Action != "remove" {
		t.Errorf("pruning a rule with a chosen mode: got %v, want its removal", got.Changes)
	}
	if rows := g.Rows(t, "MATCH (:SYS_Policy {name: 'p'})-[:CHANGED]->(c:SYS_Change {by: 'ana'}) RETURN count(c) AS n",
		nil); rows[0]["n"].(int64) < 3 {
		t.Errorf("%v changes are recorded", rows[0]["n"])
	}
}

// TestPacks_RulesInOneOtherMode_SayTheMode: earlier versions did not store that applying with a mode chose it.
func TestPacks_RulesInOneOtherMode_SayTheMode(t *testing.T) {
	g, env := toolstest.Open(t)
	text := "pack: mine\nversion: 1.0.0\npolicies:\n- {name: p, active: true, requires: 'true', mode: shadow}\n- {name: q, active: true, requires: 'true', mode: shadow}\n- {name: data, a: 1}\n"
	apply := func(mode string) {
		t.Helper()
		graphtest.Must(env.Change.Apply(t.Context(), change.ApplyRequest{Packs: []pack.Source{{Name: "mine.yaml",
			Text: text}}, Mode: mode, By: "ana"}))(t)
	}
	apply("")
	for _, tt := range []struct{ edit, want string }{
		{"MATCH (p:SYS_Policy {name: 'p'}) SET p.mode = 'enforce'",
			""}, // only one of the rules
		{"MATCH (p:SYS_Policy {name: 'q'}) SET p.mode = 'enforce'",
			"enforce"}, // all rules
		{"MATCH (p:SYS_Policy {name: 'data'}) SET p.a = 2",
			""}, // all rules, and another property
		{"MATCH (p:SYS_Policy {name: 'data'}) SET p.a = 1",
			"enforce"}, // the property is as in the pack again
		{"MATCH (:SYS_Pack {name: 'mine'})-[o:OWNS]->(p) WHERE p.requires IS NOT NULL SET o.mode = 'enforce'",
			""}, // chosen, so there is no drift
		{"MATCH (:SYS_Pack {name: 'mine'})-[o:OWNS]->() REMOVE o.mode",
			"enforce"}, // as before
		{"MATCH (p:SYS_Policy {name: 'data'}) DETACH DELETE p",
			""}, // a deleted node
	} {
		g.Exec(t, tt.edit, nil)
		list, err := env.Change.Packs(t.Context(), change.PacksQuery{})
		if err != nil || list.Packs[0].OnlyMode != tt.want {
			t.Errorf("after %s: got mode %q (%v), want %q", tt.edit, list.Packs[0].OnlyMode, err, tt.want)
		}
	}
	apply("enforce")
	list, err := env.Change.Packs(t.Context(), change.PacksQuery{})
	if err != nil || list.Packs[0].OnlyMode != "" || len(list.Packs[0].Drift) != 1 {
		t.Errorf("after applying with the mode: got %+v (%v), want the deleted node only", list.Packs[0], err)
	}
}
