package change_test

import (
	"slices"
	"strings"
	"testing"

	"nomograph/internal/apperr"
	"nomograph/internal/golden"
	"nomograph/policies/change"
	"nomograph/tools/toolstest"
)

// TestPacks_Applied_AreListedAndRemoved: a pack with nodes that were edited or that others need is removed by force
// only.
func TestPacks_Applied_AreListedAndRemoved(t *testing.T) {
	g, env := toolstest.Open(t)
	toolstest.Apply(t, env, change.ApplyRequest{Packs: toolstest.Packs(toolstest.SmallPack,
		"pack: other\nversion: 2.0.0\npolicies:\n- {name: Mine, active: true, uses_thresholds: [whole]}\n"), By: "ana"})
	g.Exec(t, "MATCH (p:SYS_Policy {name: 'Tell'}) SET p.description = 'changed'", nil)

	// A preserved node is counted once.
	again := toolstest.Apply(t, env, change.ApplyRequest{Packs: toolstest.Packs(toolstest.SmallPack), By: "ana"})
	if again.Packs[0].Unchanged != 7 || !strings.HasPrefix(again.Summary,
		"small 1.0.0: 1 kept as changed in the graph, 7 unchanged\n") {
		t.Errorf("%d unchanged: %s", again.Packs[0].Unchanged, again.Summary)
	}

	list, err := env.Change.Packs(t.Context(), change.PacksQuery{})
	if err != nil || list.Total != 2 || list.Packs[0].Name != "other" || list.Packs[1].Version != "1.0.0" ||
		list.Packs[1].Nodes != 8 || list.Packs[1].AppliedBy != "ana" ||
		list.Packs[1].AppliedAt == nil || !slices.Equal(list.Packs[1].Drift, []string{"policy Tell"}) ||
		len(list.Packs[0].Drift) != 0 {
		t.Fatalf(`got %v, %+v, want Total=2, Name=other, Version=1.0.0, Nodes=8, AppliedBy=ana, non-nil AppliedAt, list.Packs[1].Drift=["policy Tell"], no list.Packs[0].Drift`, err, list)
	}

	if _, err := env.Change.RemovePack(t.Context(), change.PackRemoval{Name: "smal", Reason: "r"}); !apperr.Is(err,
		apperr.NotFound) || len(g.Rows(t, "MATCH (p:SYS_Pack) RETURN p", nil)) != 2 {
		t.Errorf("a pack that is not there: %v", err)
	}
	counts := func() string {
		rows := g.Rows(t, "MATCH (n) WHERE n:SYS_Pack OR n:SYS_Policy OR n:SYS_Threshold OR n:SYS_DecisionTable OR n:SYS_FederationSource OR n:SubjectConcept RETURN collect(coalesce(n.name, n.table_id, n.subject_id)) AS names", nil)
		var names []string
		for _, name := range rows[0]["names"].([]any) {
			names = append(names, name.(string))
		}
		slices.Sort(names)
		return strings.Join(names, " ")
	}
	before := counts()
	for _, dry := range []bool{true, false} {
		_, err := env.Change.RemovePack(t.Context(),
			change.PackRemoval{Name: "small", Reason: "we left", DryRun: dry, By: "bo"})
		if !apperr.Is(err, apperr.Conflict) || !strings.Contains(err.Error(), "policy Tell was changed in the graph") ||
			!strings.Contains(err.Error(), "threshold whole is linked from 'Mine'") || counts() != before {
			t.Errorf("got %v and nodes %s, want a conflict that names policy Tell and threshold whole, and nodes %s",
				err, counts(), before)
		}
	}
	for _, dry := range []bool{true, false} {
		gone, err := env.Change.RemovePack(t.Context(),
			change.PackRemoval{Name: "small", Reason: "we left", DryRun: dry, Force: true, By: "bo"})
		if err != nil || len(gone.Removed) != 8 {
			t.Errorf("by force: got %+v, %v, want 8 removed", gone, err)
		}
		if dry && counts() != before {
			t.Errorf("a dry run left %s", counts())
		}
	}
	golden.Equal(t, "nodes", counts(), "Mine other")
	rows := g.Rows(t, "MATCH (c:SYS_Change {kind: 'removed'}) WHERE c.why = 'we left' AND c.by = 'bo' RETURN count(c) AS n", nil)
	if rows[0]["n"].(int64) < 4 {
		t.Errorf("got %v, want at least 4 changes in the history", rows)
	}
}
