package change_test

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"nomograph/internal/apperr"
	"nomograph/internal/golden"
	"nomograph/policies/change"
	"nomograph/tools/toolstest"
)

func TestApply_NodeOfAnotherOwner_StaysUnchanged(t *testing.T) {
	g, env := toolstest.Open(t)
	g.Exec(t, "CREATE (:SYS_Policy {name: 'Ask', active: false, note: 'by hand'}), (:SYS_Threshold {name: 'float', value: 0.5})", nil)
	before := toolstest.Fingerprint(t, g)
	for _, options := range []change.ApplyOptions{{}, {Overwrite: true}, {DryRun: true}, {Prune: true}} {
		_, err := env.Change.Apply(t.Context(), change.ApplyRequest{Packs: toolstest.Packs(toolstest.SmallPack),
			ApplyOptions: options})
		got := toolstest.ErrorWithCode(t, err, apperr.Conflict)
		if got.Message != "The pack 'small' does not own SYS_Threshold 'float', SYS_Policy 'Ask'" ||
			!strings.Contains(got.Hint, "`adopt`") || fmt.Sprint(got.Details["nodes"]) != "[SYS_Threshold 'float' SYS_Policy 'Ask']" {
			t.Errorf(`%+v: got %s %v, want Message="The pack 'small' does not own SYS_Threshold 'float', SYS_Policy 'Ask'", Hint with %q, fmt.Sprint(got.Details["nodes"])="[SYS_Threshold 'float' SYS_Policy 'Ask']"`, options, got.Error(), got.Details, "`adopt`")
		}
		if toolstest.Fingerprint(t, g) != before {
			t.Fatalf("%+v: the graph changed", options)
		}
	}

	t.Run("adopting keeps live values and adds missing ones", func(t *testing.T) {
		result := toolstest.Apply(t, env, change.ApplyRequest{Packs: toolstest.Packs(toolstest.SmallPack),
			ApplyOptions: change.ApplyOptions{Adopt: true}})
		adopted := slices.DeleteFunc(toolstest.Actions(result),
			func(a string) bool { return strings.HasPrefix(a, "create") })
		golden.Equal(t, "adopted", fmt.Sprint(adopted),
			"[adopt policies Ask adopt thresholds float drift policies Ask drift thresholds float]")
		rows := g.Rows(t, "MATCH (p:SYS_Policy {name: 'Ask'}), (t:SYS_Threshold {name: 'float'}) RETURN p.active AS active, p.note AS note, p.decision_table AS tbl, t.value AS value, t.unit AS unit, p.uid AS uid", nil)
		golden.Equal(t, "rows", fmt.Sprint(rows), "[map[active:false note:by hand tbl:D2 uid:<nil> unit:ratio value:0.5]]")
		after := toolstest.Fingerprint(t, g)
		if again := toolstest.Actions(toolstest.ApplyText(t, env,
			toolstest.SmallPack)); fmt.Sprint(again) != "[drift policies Ask drift thresholds float]" ||
			toolstest.Fingerprint(t, g) != after {
			t.Errorf("applied again: %v", again)
		}
	})
	t.Run("overwriting resets them", func(t *testing.T) {
		toolstest.Apply(t, env, change.ApplyRequest{Packs: toolstest.Packs(toolstest.SmallPack),
			ApplyOptions: change.ApplyOptions{Overwrite: true}})
		rows := g.Rows(t, "MATCH (p:SYS_Policy {name: 'Ask'}), (t:SYS_Threshold {name: 'float'}) RETURN p.active AS active, p.note AS note, t.value AS value", nil)
		golden.Equal(t, "rows", fmt.Sprint(rows), "[map[active:true note:by hand value:1]]")
	})
}

func TestApply_NodeOfAnotherPack_NeedsConsent(t *testing.T) {
	g, env := toolstest.Open(t)
	toolstest.ApplyText(t, env, toolstest.SmallPack)
	other := "pack: other\nversion: 1.0.0\npolicies:\n- {name: Ask, active: false, extra: 1}\n"
	_, err := env.Change.Apply(t.Context(), change.ApplyRequest{Packs: toolstest.Packs(other)})
	golden.Equal(t, "message", toolstest.ErrorWithCode(t, err, apperr.Conflict).Message,
		"The pack 'other' does not own SYS_Policy 'Ask' (of the pack 'small')")
	toolstest.Apply(t, env, change.ApplyRequest{Packs: toolstest.Packs(other),
		ApplyOptions: change.ApplyOptions{Adopt: true}})
	rows := g.Rows(t, "MATCH (k:SYS_Pack)-[:OWNS]->(p:SYS_Policy {name: 'Ask'}) RETURN k.name AS pack, p.active AS active, p.extra AS extra, COLLECT { MATCH (p)-[l:GOVERNED_BY|USES_THRESHOLD]->() RETURN type(l) ORDER BY type(l) } AS links", nil)
	golden.Equal(t, "rows", fmt.Sprint(rows), "[map[active:true extra:1 links:[GOVERNED_BY USES_THRESHOLD USES_THRESHOLD] pack:other]]")
	_, err = env.Change.Apply(t.Context(), change.ApplyRequest{Packs: toolstest.Packs(toolstest.SmallPack)})
	golden.Contains(t, "the message", toolstest.ErrorWithCode(t, err, apperr.Conflict).Message, "(of the pack 'other')")
}

func TestApply_DuplicateNodes_IsConflict(t *testing.T) {
	g, env := toolstest.Open(t)
	g.Exec(t, "CREATE (:SYS_Policy {name: 'Ask'}), (:SYS_Policy {name: 'Ask'})", nil)
	before := toolstest.Fingerprint(t, g)
	_, err := env.Change.Apply(t.Context(), change.ApplyRequest{Packs: toolstest.Packs(toolstest.SmallPack),
		ApplyOptions: change.ApplyOptions{Adopt: true}})
	if got := toolstest.ErrorWithCode(t, err, apperr.Conflict); got.Message != "2 SYS_Policy nodes are called 'Ask'" ||
		toolstest.Fingerprint(t, g) != before {
		t.Error(got.Message)
	}
}

// TestApply_NodeRemovedFromPack_StaysOwnedIfChanged: no rule stays in force without a pack.
func TestApply_NodeRemovedFromPack_StaysOwnedIfChanged(t *testing.T) {
	g, env := toolstest.Open(t)
	full := "pack: mine\nversion: 1.0.0\npolicies:\n- {name: stays}\n- {name: untouched, a: 1}\n- {name: changed, a: 1}\n- {name: added, a: 1}\n- {name: emptied, a: 1}\n"
	rest := "pack: mine\nversion: 2.0.0\npolicies:\n- {name: stays}\n"
	toolstest.ApplyText(t, env, full)
	g.Exec(t, "MATCH (p:SYS_Policy {name: 'changed'}) SET p.a = 2;\nMATCH (p:SYS_Policy {name: 'added'}) SET p.b = 2;\nMATCH (p:SYS_Policy {name: 'emptied'}) REMOVE p.a", nil)

	left := toolstest.ApplyText(t, env, rest)
	if got := fmt.Sprint(toolstest.Actions(left)); got != "[left policies added left policies changed left policies emptied left policies untouched]" || !strings.Contains(left.Summary, "policy untouched: left the pack (--prune removes it)") {
		t.Errorf("got %s\n%s, want got=\"[left policies added left policies changed left policies emptied left policies untouched]\", Summary with \"policy untouched: left the pack (--prune removes it)\"", got, left.Summary)
	}
	golden.Equal(t, "owned nodes", len(g.Rows(t, "MATCH (p:SYS_Policy)<-[:OWNS]-() RETURN p", nil)), 5)

	pruned := toolstest.Apply(t, env, change.ApplyRequest{Packs: toolstest.Packs(rest),
		ApplyOptions: change.ApplyOptions{Prune: true}, By: "ana"})
	if got := fmt.Sprint(toolstest.Actions(pruned)); got != "[left policies added left policies changed left policies emptied remove policies untouched]" || !strings.Contains(pruned.Summary, "policy changed: left the pack and was changed in the graph") {
		t.Errorf("got %s\n%s, want the changed ones left", got, pruned.Summary)
	}
	rows := g.Rows(t, "MATCH (p:SYS_Policy) RETURN p.name AS name, EXISTS { (p)<-[:OWNS]-() } AS owned ORDER BY name",
		nil)
	golden.Equal(t, "rows", fmt.Sprint(rows), "[map[name:added owned:true] map[name:changed owned:true] map[name:emptied owned:true] map[name:stays owned:true]]")
	if chain := toolstest.Changes(t, g, "SYS_Policy", "untouched"); chain[len(chain)-1]["kind"] != "removed" ||
		chain[len(chain)-1]["by"] != "ana" {
		t.Errorf("got %v, want kind=removed, by=ana", chain)
	}
	if chain := toolstest.Changes(t, g, "SYS_Policy", "changed"); len(chain) != 1 {
		t.Errorf("a node that stays has a history of its leaving: %v", chain)
	}
	toolstest.Apply(t, env, change.ApplyRequest{Packs: toolstest.Packs(rest),
		ApplyOptions: change.ApplyOptions{Prune: true, Overwrite: true}, By: "ana"})
	golden.Equal(t, "after a prune with overwrite",
		fmt.Sprint(g.Rows(t, "MATCH (p:SYS_Policy) RETURN p.name AS name", nil)), "[map[name:stays]]")
}

func TestApply_TwoPacksConcurrently_CreateNameOnce(t *testing.T) {
	g, env := toolstest.Open(t)
	for round := range 4 {
		var both sync.WaitGroup
		errs := make([]error, 2)
		for i := range errs {
			both.Go(func() {
				_, errs[i] = env.Change.Apply(t.Context(), change.ApplyRequest{Packs: toolstest.Packs(fmt.Sprintf("pack: p%d-%d\nversion: 1.0.0\npolicies:\n- {name: shared %d}\n", round, i, round))})
			})
		}
		both.Wait()
		rows := g.Rows(t, "MATCH (p:SYS_Policy {name: $name}) RETURN count(p) AS n",
			map[string]any{"name": fmt.Sprint("shared ", round)})
		if rows[0]["n"] != int64(1) || (errs[0] == nil) == (errs[1] == nil) {
			t.Fatalf("%v nodes of one name; %v; %v", rows[0]["n"], errs[0], errs[1])
		}
	}
}
