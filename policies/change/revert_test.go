package change_test

import (
	"strings"
	"testing"
	"time"

	"nomograph/graph/graphtest"
	"nomograph/internal/apperr"
	"nomograph/internal/golden"
	"nomograph/policies"
	"nomograph/policies/change"
	"nomograph/policies/check"
	"nomograph/policies/history"
	"nomograph/policies/live"
	"nomograph/policies/pack"
	"nomograph/policies/table"
	"nomograph/tools/toolstest"
)

func TestRevert_Concurrently_CreatesOneNode(t *testing.T) {
	g, env := toolstest.Open(t)
	g.Exec(t, "CREATE (:SYS_Threshold {name: 't', value: 1})", nil)
	toolstest.Set(t, env, "t", int64(2))
	version := toolstest.History(t, env, "threshold", "t")[0].To
	g.Exec(t, "MATCH (t:SYS_Threshold) DETACH DELETE t", nil)
	errs := make(chan error, 2)
	for range 2 {
		go func() {
			_, err := env.Change.Revert(t.Context(), change.RevertRequest{Subject: policies.Subject{Kind: "threshold",
				Name: "t"}, To: version, Reason: "x"})
			errs <- err
		}()
	}
	for range 2 {
		if err := graphtest.Receive(t, "a revert ends", errs); err != nil {
			t.Error(err)
		}
	}
	golden.Equal[any](t, "nodes", g.Rows(t, "MATCH (t:SYS_Threshold) RETURN count(t) AS n", nil)[0]["n"], int64(1))
}

func TestRevert_EarlierVersion_IsNewChange(t *testing.T) {
	g, env := toolstest.Open(t)
	text := func(version, bar, rows, more string) string {
		return "pack: mine\nversion: " + version + "\ndecision_tables:\n- table_id: D1_first\n  hit_policy: FIRST\n  rows:\n" + rows +
			"thresholds:\n- {name: bar, value: " + bar + ", decision_table: D1}\n- {name: other, value: 1}\n" + more
	}
	const one = "  - {row_id: A, conditions: inputs.x > threshold(\"bar\"), outputs: {y: 1}}\n"
	const two = "  - {row_id: B, conditions: inputs.x > threshold(\"other\"), outputs: {y: 2}}\n"
	toolstest.ApplyText(t, env, text("1.0.0", "1", one+two,
		"policies:\n- {name: p, active: true, requires: 'threshold(\"bar\") > 0', note: old}\n"))
	unchanged, err := env.History.Compare(t.Context(),
		history.DiffQuery{Subject: policies.Subject{Kind: "table", Name: "D1_first"}, From: time.Now().UTC().
			Format(time.RFC3339Nano)})
	if err != nil || len(unchanged.Changes) != 0 {
		t.Fatalf("got %+v %v, want no Changes", unchanged, err)
	}
	first := toolstest.History(t, env, "table", "D1_first")[0].To
	graphtest.NextMillisecond()
	toolstest.Apply(t, env, change.ApplyRequest{Packs: toolstest.Packs(text("1.1.0", "2",
		"  - {row_id: A, conditions: inputs.x > 5, outputs: {y: 1}}\n  - {row_id: C, outputs: {y: 3}}\n",
		"policies:\n- {name: p, active: false, requires: 'threshold(\"other\") > 0'}\n")),
		ApplyOptions: change.ApplyOptions{Prune: true}})

	back := func(kind, name, to string) change.RevertResult {
		t.Helper()
		r := graphtest.Must(env.Change.Revert(t.Context(),
			change.RevertRequest{Subject: policies.Subject{Kind: kind, Name: name},
				To: to, Reason: "too high", By: "ben"}))(t)
		if e := toolstest.History(t, env, kind, name)[0]; r.From != r.To &&
			(e.Kind != "reverted" || e.By != "ben" || e.Why != "too high" || e.To != r.To) {
			t.Errorf("the newest entry is %+v", e)
		}
		return r
	}
	t.Run("a threshold", func(t *testing.T) {
		r := back("threshold", "bar", toolstest.History(t, env, "threshold", "bar")[1].To)
		node, err := env.Live.Threshold(t.Context(), live.ThresholdQuery{Name: "bar"})
		if err != nil || node.Properties["value"] != int64(1) || node.Reading.Version != r.To ||
			r.Changes["value"] != (history.Difference{From: int64(2), To: int64(1)}) {
			t.Errorf("got %+v %+v %v, want value=1, Version=%v, value=%v", r, node, err, r.To,
				(history.Difference{From: int64(2), To: int64(1)}))
		}
	})
	t.Run("a policy with its links", func(t *testing.T) {
		r := back("policy", "p", toolstest.History(t, env, "policy", "p")[1].To[:12])
		node, err := env.Live.Policy(t.Context(), live.PolicyQuery{Name: "p"})
		if err != nil || node.Properties["active"] != true || node.Properties["note"] != "old" ||
			node.Reading.Version != r.To {
			t.Errorf("got %+v %v, want active=true, note=old, Version=%v", node, err, r.To)
		}
	})
	t.Run("a table with its rows", func(t *testing.T) {
		r := back("table", "D1_first", first)
		rows := g.Rows(t, "MATCH (:SYS_DecisionTable {table_id: 'D1_first'})-[:HAS_ROW]->(r) RETURN r.row_id AS id, r.conditions AS c ORDER BY id", nil)
		if r.To != first || len(rows) != 2 || rows[0]["c"] != `inputs.x > threshold("bar")` || rows[1]["id"] != "B" {
			t.Errorf(`got %+v %v, want To=%v, len(rows)=2, c="inputs.x > threshold("bar")", id=B`, r, rows, first)
		}
		if left := g.Rows(t, "MATCH (r:SYS_DecisionRow) RETURN r.row_id AS id", nil); len(left) != 2 {
			t.Errorf("rows of nobody are left: %v", left)
		}
	})
	t.Run("a table is read as it was", func(t *testing.T) {
		then, err := env.Table.Get(t.Context(), table.ID{Table: "D1",
			AsOf: toolstest.History(t, env, "table", "D1_first")[1].To})
		if err != nil || len(then.Rows) != 2 || then.Rows[1]["row_id"] != "C" || then.Reading.Source != "version" {
			t.Errorf("got %+v %v, want len(Rows)=2, row_id=C, Source=version", then, err)
		}
	})
	t.Run("to the current state", func(t *testing.T) {
		before := len(toolstest.History(t, env, "table", "D1_first"))
		if r := back("table", "D1_first", first); r.From != r.To || len(r.Changes) != 0 ||
			len(toolstest.History(t, env, "table", "D1_first")) != before {
			t.Errorf(`got %+v, want From=%v, len(Changes)=0, len(toolstest.History(t, env, "table", "D1_first"))=%v`, r,
				r.To, before)
		}
	})
	t.Run("a removed node is created again", func(t *testing.T) {
		g.Exec(t, "MATCH (p:SYS_Policy {name: 'p'}) DETACH DELETE p", nil)
		r := back("policy", "p", toolstest.History(t, env, "policy", "p")[0].To)
		node, err := env.Live.Policy(t.Context(), live.PolicyQuery{Name: "p"})
		if err != nil || node.Reading.Version != r.To || r.From != "" {
			t.Errorf(`got %+v %v, want Version=%v, From=""`, node, err, r.To)
		}
	})
	t.Run("a date stays a date", func(t *testing.T) {
		g.Exec(t, "CREATE (:SYS_Threshold {name: 'dated', value: 1, on: date('2026-01-31'), at: datetime('2026-01-31T10:00:00Z'), local: localdatetime('2026-01-31T10:00:00'), clock: time('10:00:00Z')})", nil)
		toolstest.Set(t, env, "dated", int64(2))
		g.Exec(t, "MATCH (t:SYS_Threshold {name: 'dated'}) REMOVE t.on, t.at, t.local, t.clock", nil)
		toolstest.Set(t, env, "dated", int64(3))
		history := toolstest.History(t, env, "threshold", "dated")
		back("threshold", "dated", history[len(history)-1].To)
		types := g.Rows(t, "MATCH (t:SYS_Threshold {name: 'dated'}) RETURN valueType(t.on) + valueType(t.at) + valueType(t.local) + valueType(t.clock) AS types, t.value AS value", nil)[0]
		if types["types"] != "DATE NOT NULLZONED DATETIME NOT NULLLOCAL DATETIME NOT NULLZONED TIME NOT NULL" ||
			types["value"] != int64(1) {
			t.Errorf(`got %v, want types="DATE NOT NULLZONED DATETIME NOT NULLLOCAL DATETIME NOT NULLZONED TIME NOT NULL", value=1`, types)
		}
	})
	t.Run("invalid requests", func(t *testing.T) {
		g.Exec(t, "CREATE (:SYS_Threshold {name: 'placed', value: 1, at: point({x: 1, y: 2})})", nil)
		toolstest.Set(t, env, "placed", int64(2))
		g.Exec(t, "MATCH (t:SYS_Threshold {name: 'placed'}) REMOVE t.at", nil)
		for _, r := range []struct {
			of   policies.Subject
			to   string
			code apperr.Code
		}{
			{policies.Subject{Kind: "threshold", Name: "placed"},
				toolstest.History(t, env, "threshold", "placed")[1].To, apperr.Conflict},
			{policies.Subject{Kind: "threshold", Name: "bar"}, "2020-01-01", apperr.NotFound},
			{policies.Subject{Kind: "threshold", Name: "nope"}, "2020-01-01", apperr.NotFound},
		} {
			if _, err := env.Change.Revert(t.Context(), change.RevertRequest{Subject: r.of, To: r.to,
				Reason: "x"}); !apperr.Is(err, r.code) {
				t.Errorf("%v to %s: %v, want %s", r.of, r.to, err, r.code)
			}
		}
	})
}

// TestRevertPack_EarlierState_IsRestored: values, removed and added nodes, and rows return to what they were, and the
// pack owns them without drift.
func TestRevertPack_EarlierState_IsRestored(t *testing.T) {
	_, env := toolstest.Open(t)
	apply := func(version, bar, rows, more string) {
		toolstest.Apply(t, env, change.ApplyRequest{ApplyOptions: change.ApplyOptions{Prune: true, Overwrite: true},
			Reason: "a reason", Packs: toolstest.Packs("pack: mine\nversion: " + version +
				"\ndecision_tables:\n- table_id: D1_first\n  hit_policy: FIRST\n  rows:\n" + rows +
				"thresholds:\n- {name: bar, value: " + bar + "}\n" + more)})
	}
	const row = "  - {row_id: A, conditions: inputs.x > threshold(\"bar\"), outputs: {y: 1}}\n"
	const program = "programs:\n- {name: tool, is: network}\n"
	state := func() string {
		text := graphtest.Must(env.Pack.Export(t.Context(), pack.Query{Name: "mine"}))(t)
		_, after, _ := strings.Cut(text.Text, "version:")
		_, after, _ = strings.Cut(after, "\n")
		return after
	}
	began := time.Now().UTC().Format(time.RFC3339Nano)
	graphtest.NextMillisecond()
	apply("1.0.0", "1", row, "policies:\n- {name: p, active: true, requires: 'threshold(\"bar\") > 0'}\n"+program)
	v, err := env.Checks.Check(t.Context(), check.ActionCheck{Description: "x"}) // records the revision
	graphtest.OK(t, err)
	graphtest.NextMillisecond()
	want, then := state(), time.Now().UTC().Format(time.RFC3339Nano)
	revert := func(to string, dryRun bool) error {
		_, err := env.Change.RevertPack(t.Context(),
			change.PackRevert{Name: "mine", To: to, Reason: "worse", DryRun: dryRun})
		return err
	}
	for _, to := range []string{then, v.Revision[:10]} {
		graphtest.NextMillisecond()
		apply("2.0.0", "5", row+"  - {row_id: B, outputs: {y: 3}}\n", "- {name: new, value: 1}\n"+program)
		toolstest.Set(t, env, "bar", int64(6))
		changed := state()
		if err := revert(to, true); err != nil || state() != changed {
			t.Errorf("dry run to %s: %v, the pack is now\n%s", to, err, state())
		}
		if err := revert(to, false); err != nil || state() != want {
			t.Errorf("to %s: %v, got\n%s\nwant\n%s", to, err, state(), want)
		}
		list, err := env.Change.Packs(t.Context(), change.PacksQuery{})
		if err != nil || len(list.Packs) != 1 || len(list.Packs[0].Drift) > 0 || list.Packs[0].Nodes != 5 {
			t.Errorf("to %s: got %+v, %v, want one pack with 5 nodes without drift", to, list, err)
		}
	}
	for to, code := range map[string]apperr.Code{began: apperr.NotFound, "ffffffff": apperr.NotFound,
		"soon": apperr.NotFound, "2999-01-01": apperr.Validation} {
		if err := revert(to, false); !apperr.Is(err, code) || state() != want {
			t.Errorf("to %s: got %v, want %s and no change", to, err, code)
		}
	}
}
