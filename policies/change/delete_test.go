package change_test

import (
	"slices"
	"strings"
	"testing"

	"nomograph/graph/graphtest"
	"nomograph/internal/apperr"
	"nomograph/internal/golden"
	"nomograph/policies"
	"nomograph/policies/change"
	"nomograph/policies/live"
	"nomograph/tools/toolstest"
)

func TestDeleteThreshold_Unused_IsDeletedAndRestorable(t *testing.T) {
	g, env := toolstest.Open(t)
	g.Exec(t, "CREATE (:SYS_Threshold {name: 'spare', value: 7, unit: 'days'}), (:SYS_Policy {name: 'talks of spare', active: true, requires: 'true', description: 'spare is no threshold here'})", nil)
	before := graphtest.Must(env.Live.Threshold(t.Context(), live.ThresholdQuery{Name: "spare"}))(t)
	if _, err := env.Change.DeleteThreshold(t.Context(),
		change.Deletion{Name: "spare", Reason: "r", IfVersion: "00000000"}); !apperr.Is(err, apperr.Conflict) {
		t.Errorf("another version: got %v, want error %s", err, apperr.Conflict)
	}
	dry, err := env.Change.DeleteThreshold(t.Context(), change.Deletion{Name: "spare", Reason: "r", DryRun: true})
	if _, readErr := env.Live.Threshold(t.Context(), live.ThresholdQuery{Name: "spare"}); err != nil || dry.Deleted ||
		readErr != nil {
		t.Errorf("a dry run: got %+v %v, and reading the threshold returns %v, want no deletion", dry, err, readErr)
	}
	out, err := env.Change.DeleteThreshold(t.Context(),
		change.Deletion{Name: "spare", Reason: "no longer used", IfVersion: before.Reading.Version, By: "ana"})
	if err != nil || !out.Deleted || out.Value.Any() != int64(7) || len(out.ReadBy) != 0 ||
		out.Version != before.Reading.Version || !strings.Contains(toolstest.Text(out), "brings it back") {
		t.Errorf(`got %+v %v, want Deleted=true, Any=7, len(ReadBy)=0, Version=%v, toolstest.Text(out) with "brings it back"`, out, err, before.Reading.Version)
	}
	if _, err := env.Live.Threshold(t.Context(), live.ThresholdQuery{Name: "spare"}); !apperr.Is(err, apperr.NotFound) {
		t.Errorf("afterwards: got %v, want error %s", err, apperr.NotFound)
	}
	if _, err := env.Change.DeleteThreshold(t.Context(),
		change.Deletion{Name: "spare", Reason: "again"}); !apperr.Is(err, apperr.NotFound) {
		t.Errorf("again: got %v, want error %s", err, apperr.NotFound)
	}
	changes := g.Rows(t, "MATCH (c:SYS_Change {name: 'spare'}) RETURN c.kind AS kind, c.by AS by, c.why AS why ORDER BY c.at, c.kind", nil)
	if last := changes[len(changes)-1]; last["kind"] != "removed" || last["by"] != "ana" ||
		last["why"] != "no longer used" {
		t.Errorf("the history ends with %v", last)
	}
	graphtest.Must(env.Change.Revert(t.Context(),
		change.RevertRequest{Subject: policies.Subject{Kind: policies.KindThreshold, Name: "spare"}, To: out.Version,
			Reason: "needed", By: "ana"}))(t)
	golden.Equal(t, "after going back", graphtest.Must(env.Live.Threshold(t.Context(),
		live.ThresholdQuery{Name: "spare"}))(t).Reading.Version, before.Reading.Version)
}

func TestDeleteThreshold_ReadOrOwned_NeedsForce(t *testing.T) {
	g, env := toolstest.Open(t)
	toolstest.ApplyShipped(t, g, "core")
	g.Exec(t, `CREATE (:SYS_Threshold {name: 'a', value: 1}), (:SYS_Threshold {name: 'b', value: 1}), (:SYS_Threshold {name: 'c', value: 1}),
		(:SYS_Policy {name: 'reads a', active: true, requires: "action.confidence > threshold( 'a' )"}),
		(:SYS_Policy {name: 'tells b', active: true, requires: 'true', message: 'At most {threshold("b", project)}'}),
		(:SYS_DecisionTable {table_id: 'D77_t'})-[:HAS_ROW]->(:SYS_DecisionRow {row_id: 'D77_R1', table_id: 'D77_t', outputs: '{"n": {"threshold": "c"}}'})`, nil)
	for name, reader := range map[string]string{"a": "policy reads a", "b": "policy tells b", "c": "row D77_R1",
		"high_stakes_min_confidence": "policy no-high-stakes-low-confidence"} {
		_, err := env.Change.DeleteThreshold(t.Context(), change.Deletion{Name: name, Reason: "r"})
		if !apperr.Is(err, apperr.Conflict) || !strings.Contains(err.Error(), reader) {
			t.Errorf("%s: got %v, want a conflict that names %s", name, err, reader)
		}
	}
	out, err := env.Change.DeleteThreshold(t.Context(),
		change.Deletion{Name: "high_stakes_min_confidence", Reason: "r", Force: true, By: "ana"})
	if err != nil || out.Pack != "core" || len(out.ReadBy) == 0 {
		t.Fatalf("by force: got %+v %v, want Pack=core, nonzero len(ReadBy)", out, err)
	}
	packs, err := env.Change.Packs(t.Context(), change.PacksQuery{})
	if err != nil || !slices.Contains(packs.Packs[0].Deleted, "threshold high_stakes_min_confidence") {
		t.Errorf("the pack shows %+v, %v", packs, err)
	}
}

func TestDeletePolicy_RuleWithoutAPack_IsDeletedRecordedAndRestorable(t *testing.T) {
	g, env := toolstest.Open(t)
	toolstest.Apply(t, env, change.ApplyRequest{Packs: toolstest.Packs("pack: mine\nversion: 1.0.0\npolicies: [{name: owned, active: true, requires: 'true'}]\n"), By: "ana"})
	g.Exec(t, "CREATE (:SYS_Policy {name: 'orphan', active: true, requires: 'false'})-[:USES_THRESHOLD]->(:SYS_Threshold {name: 'least', value: 1}), (:SYS_Policy {name: 'data'}), (:SYS_Policy {name: 'twin', requires: 'true'}), (:SYS_Policy {name: 'twin', requires: 'true'})", nil)
	if names, err := env.Change.UnownedRules(t.Context()); err != nil ||
		!slices.Equal(names, []string{"orphan", "twin", "twin"}) {
		t.Errorf("got rules without a pack %v, %v, want orphan, twin, twin", names, err)
	}
	for name, code := range map[string]apperr.Code{"owned": apperr.Conflict, "twin": apperr.Conflict,
		"orphans": apperr.NotFound} {
		if _, err := env.Change.DeletePolicy(t.Context(), change.Deletion{Name: name, Reason: "r"}); !apperr.Is(err,
			code) {
			t.Errorf("%s: got %v, want error %s", name, err, code)
		}
	}
	if _, err := env.Change.DeletePolicy(t.Context(),
		change.Deletion{Name: "orphan", Reason: "r", IfVersion: "00000000"}); !apperr.Is(err, apperr.Conflict) {
		t.Errorf("another version: got %v, want error %s", err, apperr.Conflict)
	}
	before := graphtest.Must(env.Live.Policy(t.Context(), live.PolicyQuery{Name: "orphan"}))(t)
	for _, dry := range []bool{true, false} {
		out, err := env.Change.DeletePolicy(t.Context(),
			change.Deletion{Name: "orphan", Reason: "no longer used", DryRun: dry, By: "ana"})
		if err != nil || out.Deleted == dry || out.Effect != "block" || out.Version != before.Reading.Version {
			t.Fatalf("got %+v, %v, want Deleted=%v, Effect=block, Version=%s", out, err, !dry, before.Reading.Version)
		}
		if _, err := env.Live.Policy(t.Context(), live.PolicyQuery{Name: "orphan"}); apperr.Is(err,
			apperr.NotFound) == dry {
			t.Errorf("dry run %v: reading returns %v", dry, err)
		}
	}
	golden.Equal(t, "changes", len(g.Rows(t, "MATCH (c:SYS_Change {name: 'orphan', kind: 'removed', by: 'ana', why: 'no longer used'}) RETURN c", nil)), 1)
	graphtest.Must(env.Change.Revert(t.Context(),
		change.RevertRequest{Subject: policies.Subject{Kind: policies.KindPolicy, Name: "orphan"},
			To: before.Reading.Version, Reason: "needed", By: "ana"}))(t)
	golden.Equal(t, "after going back", graphtest.Must(env.Live.Policy(t.Context(),
		live.PolicyQuery{Name: "orphan"}))(t).Reading.Version, before.Reading.Version)
	golden.Equal(t, "by force", graphtest.Must(env.Change.DeletePolicy(t.Context(),
		change.Deletion{Name: "owned", Reason: "r", Force: true}))(t).Pack, "mine")
}
