package policies_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"nomograph/fault"
	"nomograph/policies"
)

func set(t *testing.T, store *policies.Store, name string, value any) policies.ThresholdChanged {
	t.Helper()
	changed, err := store.SetThreshold(t.Context(), policies.ThresholdChange{Name: name, Value: policies.ValueOf(value), Reason: "because", By: "ana"})
	if err != nil {
		t.Fatal(err)
	}
	return changed
}

func entries(t *testing.T, store *policies.Store, kind, name string) []policies.HistoryEntry {
	t.Helper()
	h, err := store.History(t.Context(), policies.HistoryQuery{Subject: policies.Subject{Kind: kind, Name: name}})
	if err != nil {
		t.Fatal(err)
	}
	return h.Entries
}

func TestHistoryTellsWhatChangedAndReadsAnEarlierState(t *testing.T) {
	g, store := newStore(t)
	g.Exec(t, "CREATE (:SYS_Threshold {name: 'bar', value: 0.5, unit: 'ratio', last_reviewed: date('2026-01-31')})", nil)
	var versions []string
	for _, value := range []float64{0.6, 0.5, 0.7} {
		changed := set(t, store, "bar", value)
		versions = append(versions, changed.ToVersion)
		time.Sleep(3 * time.Millisecond) // the database's clock has milliseconds
	}
	history := entries(t, store, "threshold", "bar")
	kinds := []string{}
	for _, e := range history {
		kinds = append(kinds, fmt.Sprintf("%s %s %v->%v", e.Kind, e.By, e.Changes["value"].From, e.Changes["value"].To))
	}
	// What stood there by hand was found at the first change; going back from 0.6 to 0.5 is a change of its own.
	want := []string{"applied ana 0.5->0.7", "applied ana 0.6->0.5", "applied ana 0.5->0.6", "observed unknown <nil>->0.5"}
	if !slices.Equal(kinds, want) {
		t.Fatalf("got %q, want %q", kinds, want)
	}
	if history[1].To != history[2].From || history[1].To != history[3].To {
		t.Error("the same content has two versions")
	}
	t.Run("in pages", func(t *testing.T) {
		var got []string
		q := policies.HistoryQuery{Subject: policies.Subject{Kind: "threshold", Name: "bar"}, Page: policies.Page{Limit: 1}}
		for {
			page, err := store.History(t.Context(), q)
			if err != nil {
				t.Fatal(err)
			}
			for _, e := range page.Entries {
				got = append(got, e.To)
			}
			if q.Cursor = page.NextCursor; q.Cursor == "" {
				break
			}
		}
		if !slices.Equal(got, []string{versions[2], versions[1], versions[0], history[3].To}) {
			t.Errorf("%v", got)
		}
	})
	at := func(i int) string { return history[len(history)-1-i].At.Format(time.RFC3339Nano) }
	for when, value := range map[string]float64{at(0): 0.5, at(1): 0.6, at(2): 0.5, at(3): 0.7, versions[0][:10]: 0.6, versions[2]: 0.7, time.Now().UTC().Format(time.RFC3339Nano): 0.7} {
		node, err := store.Threshold(t.Context(), policies.ThresholdQuery{Name: "bar", AsOf: when})
		if err != nil || node.Properties["value"] != value || node.Properties["unit"] != "ratio" || node.Properties["last_reviewed"] != "2026-01-31" ||
			node.Reading.Source != "version" || node.Reading.Since == nil {
			t.Errorf("as of %s: %+v %v, want %v", when, node, err, value)
		}
	}
	t.Run("what cannot be read", func(t *testing.T) {
		for when, code := range map[string]fault.Code{"2020-01-01": fault.NotFound, "2999-01-01": fault.Validation, "last week": fault.Validation, "abc": fault.Validation, "ffffffffff": fault.NotFound} {
			_, err := store.Threshold(t.Context(), policies.ThresholdQuery{Name: "bar", AsOf: when})
			if !fault.Is(err, code) || fault.From(err).Hint == "" {
				t.Errorf("as of %s: %v, want %s with a hint", when, err, code)
			}
		}
		if _, err := store.Threshold(t.Context(), policies.ThresholdQuery{Name: "baz", AsOf: "2026-01-01"}); !fault.Is(err, fault.NotFound) || !strings.Contains(err.Error(), "bar") {
			t.Errorf("a name nearby is not proposed: %v", err)
		}
		value := policies.ValueOf(1.0)
		if _, err := store.Threshold(t.Context(), policies.ThresholdQuery{Name: "nope", AsOf: "2026-01-01", Default: &value}); !fault.Is(err, fault.NotFound) {
			t.Errorf("a default answered for a time: %v", err)
		}
	})
	t.Run("compared", func(t *testing.T) {
		c, err := store.Compare(t.Context(), policies.Comparison{Subject: policies.Subject{Kind: "threshold", Name: "bar"}, From: at(0)})
		if err != nil || len(c.Changes) != 1 || c.Changes["value"] != (policies.Difference{From: 0.5, To: 0.7}) || c.To != versions[2] {
			t.Errorf("%+v %v", c, err)
		}
		c, err = store.Compare(t.Context(), policies.Comparison{Subject: policies.Subject{Kind: "threshold", Name: "bar"}, From: at(0), To: at(2)})
		if err != nil || len(c.Changes) != 0 {
			t.Errorf("%+v %v", c, err)
		}
	})
	t.Run("of a name without a history", func(t *testing.T) {
		g.Exec(t, "CREATE (:SYS_Threshold {name: 'untouched', value: 1})", nil)
		_, err := store.History(t.Context(), policies.HistoryQuery{Subject: policies.Subject{Kind: "threshold", Name: "untouched"}})
		if !fault.Is(err, fault.NotFound) || !strings.Contains(fault.From(err).Hint, "`sync_policies`") {
			t.Errorf("%v", err)
		}
	})
}

func TestTheVariantForAScopeHasAHistoryOfItsOwn(t *testing.T) {
	g, store := newStore(t)
	g.Exec(t, "CREATE (:SYS_Threshold {name: 'bar', value: 0.9}), (:SYS_Threshold {name: 'bar_old', value: 0.7, domain_scope: 'old'}), (:SYS_Threshold {name: 'bar', value: 0.1, scope: 'new'})", nil)
	if synced, err := store.Sync(t.Context()); err != nil || synced.Changed != 3 {
		t.Fatalf("%+v %v", synced, err)
	}
	now := time.Now().UTC().Format(time.RFC3339Nano)
	for scope, value := range map[string]float64{"": 0.9, "old": 0.7, "new": 0.1, "other": 0.9} {
		node, err := store.Threshold(t.Context(), policies.ThresholdQuery{Name: "bar", Scope: scope, AsOf: now})
		if err != nil || node.Properties["value"] != value {
			t.Errorf("%q: %v %v, want %v", scope, node.Properties, err, value)
		}
	}
}

func TestHandEditsAreRecordedWhenTheyAreNoticed(t *testing.T) {
	g, store := newStore(t)
	mustApply(t, store, policies.ApplyRequest{Packs: packs("pack: mine\nversion: 1.0.0\nthresholds:\n- {name: t, value: 1}\n- {name: gone, value: 1}\npolicies:\n- {name: p, active: true, requires: 'threshold(\"t\") > 0'}\n")})
	check := func() policies.Verdict {
		t.Helper()
		v, err := store.Check(t.Context(), policies.ActionCheck{Description: "x"})
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	first := check()
	time.Sleep(5 * time.Millisecond)
	t.Run("by a check, with the interval", func(t *testing.T) {
		g.Exec(t, "MATCH (t:SYS_Threshold {name: 't'}) SET t.value = 2", nil)
		second := check()
		newest := entries(t, store, "threshold", "t")[0]
		if newest.Kind != "observed" || newest.Since == nil || newest.Since.Before(first.At) || newest.At.After(second.At) || newest.Changes["value"].To != int64(2) {
			t.Errorf("%+v; verdicts at %v and %v", newest, first.At, second.At)
		}
		between := newest.Since.Add(newest.At.Sub(*newest.Since) / 2)
		node, err := store.Threshold(t.Context(), policies.ThresholdQuery{Name: "t", AsOf: between.Format(time.RFC3339Nano)})
		if err != nil || node.Reading.Note == "" {
			t.Errorf("what is not known is told as if it were: %+v %v", node, err)
		}
	})
	t.Run("there and back are two changes", func(t *testing.T) {
		before := len(entries(t, store, "threshold", "t"))
		g.Exec(t, "MATCH (t:SYS_Threshold {name: 't'}) SET t.value = 3", nil)
		there := check()
		g.Exec(t, "MATCH (t:SYS_Threshold {name: 't'}) SET t.value = 2", nil)
		back := check()
		again := check()
		if got := len(entries(t, store, "threshold", "t")) - before; got != 2 || there.Revision == back.Revision || back.Revision != again.Revision {
			t.Errorf("%d changes; revisions %s, %s, %s", got, there.Revision, back.Revision, again.Revision)
		}
	})
	t.Run("a plain read records nothing", func(t *testing.T) {
		before := len(entries(t, store, "policy", "p"))
		g.Exec(t, "MATCH (p:SYS_Policy {name: 'p'}) SET p.note = 'x'", nil)
		if _, err := store.Policy(t.Context(), policies.PolicyQuery{Name: "p"}); err != nil {
			t.Fatal(err)
		}
		if got := len(entries(t, store, "policy", "p")); got != before {
			t.Errorf("%d changes more", got-before)
		}
	})
	t.Run("by policy sync, deletions too", func(t *testing.T) {
		g.Exec(t, "MATCH (t:SYS_Threshold {name: 'gone'}) DETACH DELETE t", nil)
		g.Exec(t, "CREATE (:SYS_DecisionTable {table_id: 'D1_new'})-[:HAS_ROW]->(:SYS_DecisionRow {row_id: 'R1', conditions: 'true'})", nil)
		synced, err := store.Sync(t.Context())
		if err != nil || synced.Changed != 2 || synced.Gone != 1 {
			t.Fatalf("%+v %v", synced, err)
		}
		if e := entries(t, store, "threshold", "gone")[0]; e.Kind != "observed" || e.To != "" || e.Since == nil {
			t.Errorf("%+v", e)
		}
		if _, err := store.Threshold(t.Context(), policies.ThresholdQuery{Name: "gone", AsOf: time.Now().UTC().Format(time.RFC3339Nano)}); !fault.Is(err, fault.NotFound) {
			t.Errorf("%v", err)
		}
		g.Exec(t, "MATCH (r:SYS_DecisionRow {row_id: 'R1'}) SET r.conditions = 'false'", nil)
		again, err := store.Sync(t.Context())
		if err != nil || again.Changed != 1 || again.Gone != 0 {
			t.Fatalf("%+v %v", again, err)
		}
		if e := entries(t, store, "table", "D1_new")[0]; e.Changes["row R1 conditions"] != (policies.Difference{From: "true", To: "false"}) {
			t.Errorf("%+v", e)
		}
		if quiet, err := store.Sync(t.Context()); err != nil || quiet.Changed+quiet.Gone != 0 {
			t.Errorf("%+v %v", quiet, err)
		}
	})
	t.Run("a hand edit before a write is not taken for part of it", func(t *testing.T) {
		g.Exec(t, "MATCH (t:SYS_Threshold {name: 't'}) SET t.value = 7", nil)
		set(t, store, "t", int64(8))
		got := entries(t, store, "threshold", "t")[:2]
		if got[0].Kind != "applied" || got[0].Changes["value"].From != int64(7) || got[1].Kind != "observed" || got[1].Changes["value"].To != int64(7) {
			t.Errorf("%+v", got)
		}
	})
}

func TestAVariantThatIsGoneIsNoticed(t *testing.T) {
	g, store := newStore(t)
	g.Exec(t, "CREATE (:SYS_Policy {name: 'p', scope: 'a', active: true}), (:SYS_Policy {name: 'p', scope: 'b', active: true})", nil)
	if _, err := store.Sync(t.Context()); err != nil {
		t.Fatal(err)
	}
	g.Exec(t, "MATCH (p:SYS_Policy {scope: 'b'}) DETACH DELETE p", nil)
	if synced, err := store.Sync(t.Context()); err != nil || synced.Gone != 1 {
		t.Errorf("%+v %v", synced, err)
	}
	if synced, err := store.Sync(t.Context()); err != nil || synced.Gone != 0 {
		t.Errorf("again: %+v %v", synced, err)
	}
}

func TestTwoThatGoBackMakeOneNode(t *testing.T) {
	g, store := newStore(t)
	g.Exec(t, "CREATE (:SYS_Threshold {name: 't', value: 1})", nil)
	set(t, store, "t", int64(2))
	version := entries(t, store, "threshold", "t")[0].To
	g.Exec(t, "MATCH (t:SYS_Threshold) DETACH DELETE t", nil)
	errs := make(chan error, 2)
	for range 2 {
		go func() {
			_, err := store.Revert(t.Context(), policies.Reversion{Subject: policies.Subject{Kind: "threshold", Name: "t"}, To: version, Reason: "x"})
			errs <- err
		}()
	}
	for range 2 {
		if err := <-errs; err != nil {
			t.Error(err)
		}
	}
	if n := g.Rows(t, "MATCH (t:SYS_Threshold) RETURN count(t) AS n", nil)[0]["n"]; n != int64(1) {
		t.Errorf("%v nodes", n)
	}
}

func TestGoingBackIsANewChange(t *testing.T) {
	g, store := newStore(t)
	text := func(version, bar, rows, more string) string {
		return "pack: mine\nversion: " + version + "\ndecision_tables:\n- table_id: D1_first\n  hit_policy: FIRST\n  rows:\n" + rows +
			"thresholds:\n- {name: bar, value: " + bar + ", decision_table: D1}\n- {name: other, value: 1}\n" + more
	}
	const one = "  - {row_id: A, conditions: inputs.x > threshold(\"bar\"), outputs: {y: 1}}\n"
	const two = "  - {row_id: B, conditions: inputs.x > threshold(\"other\"), outputs: {y: 2}}\n"
	mustApply(t, store, policies.ApplyRequest{Packs: packs(text("1.0.0", "1", one+two, "policies:\n- {name: p, active: true, requires: 'threshold(\"bar\") > 0', note: old}\n"))})
	table, err := store.Compare(t.Context(), policies.Comparison{Subject: policies.Subject{Kind: "table", Name: "D1_first"}, From: time.Now().UTC().Format(time.RFC3339Nano)})
	if err != nil || len(table.Changes) != 0 {
		t.Fatalf("%+v %v", table, err)
	}
	first := entries(t, store, "table", "D1_first")[0].To
	time.Sleep(3 * time.Millisecond)
	mustApply(t, store, policies.ApplyRequest{Packs: packs(text("1.1.0", "2", "  - {row_id: A, conditions: inputs.x > 5, outputs: {y: 1}}\n  - {row_id: C, outputs: {y: 3}}\n",
		"policies:\n- {name: p, active: false, requires: 'threshold(\"other\") > 0'}\n")), ApplyOptions: policies.ApplyOptions{Prune: true}})

	back := func(kind, name, to string) policies.Reverted {
		t.Helper()
		r, err := store.Revert(t.Context(), policies.Reversion{Subject: policies.Subject{Kind: kind, Name: name}, To: to, Reason: "too high", By: "ben"})
		if err != nil {
			t.Fatal(err)
		}
		if e := entries(t, store, kind, name)[0]; r.From != r.To && (e.Kind != "reverted" || e.By != "ben" || e.Why != "too high" || e.To != r.To) {
			t.Errorf("the newest entry is %+v", e)
		}
		return r
	}
	t.Run("a threshold", func(t *testing.T) {
		r := back("threshold", "bar", entries(t, store, "threshold", "bar")[1].To)
		node, err := store.Threshold(t.Context(), policies.ThresholdQuery{Name: "bar"})
		if err != nil || node.Properties["value"] != int64(1) || node.Reading.Version != r.To || r.Changes["value"] != (policies.Difference{From: int64(2), To: int64(1)}) {
			t.Errorf("%+v %+v %v", r, node, err)
		}
	})
	t.Run("a policy with its links", func(t *testing.T) {
		r := back("policy", "p", entries(t, store, "policy", "p")[1].To[:12])
		node, err := store.Policy(t.Context(), policies.PolicyQuery{Name: "p"})
		if err != nil || node.Properties["active"] != true || node.Properties["note"] != "old" || node.Reading.Version != r.To {
			t.Errorf("%+v %v", node, err)
		}
	})
	t.Run("a table with its rows", func(t *testing.T) {
		r := back("table", "D1_first", first)
		rows := g.Rows(t, "MATCH (:SYS_DecisionTable {table_id: 'D1_first'})-[:HAS_ROW]->(r) RETURN r.row_id AS id, r.conditions AS c ORDER BY id", nil)
		if r.To != first || len(rows) != 2 || rows[0]["c"] != `inputs.x > threshold("bar")` || rows[1]["id"] != "B" {
			t.Errorf("%+v %v", r, rows)
		}
		if left := g.Rows(t, "MATCH (r:SYS_DecisionRow) RETURN r.row_id AS id", nil); len(left) != 2 {
			t.Errorf("rows of nobody are left: %v", left)
		}
	})
	t.Run("a table is read as it was", func(t *testing.T) {
		then, err := store.Table(t.Context(), policies.TableID{Table: "D1", AsOf: entries(t, store, "table", "D1_first")[1].To})
		if err != nil || len(then.Rows) != 2 || then.Rows[1]["row_id"] != "C" || then.Reading.Source != "version" {
			t.Errorf("%+v %v", then, err)
		}
	})
	t.Run("to what is there already", func(t *testing.T) {
		before := len(entries(t, store, "table", "D1_first"))
		if r := back("table", "D1_first", first); r.From != r.To || len(r.Changes) != 0 || len(entries(t, store, "table", "D1_first")) != before {
			t.Errorf("%+v", r)
		}
	})
	t.Run("what was removed is made anew", func(t *testing.T) {
		g.Exec(t, "MATCH (p:SYS_Policy {name: 'p'}) DETACH DELETE p", nil)
		r := back("policy", "p", entries(t, store, "policy", "p")[0].To)
		node, err := store.Policy(t.Context(), policies.PolicyQuery{Name: "p"})
		if err != nil || node.Reading.Version != r.To || r.From != "" {
			t.Errorf("%+v %v", node, err)
		}
	})
	t.Run("a date is one again", func(t *testing.T) {
		g.Exec(t, "CREATE (:SYS_Threshold {name: 'dated', value: 1, on: date('2026-01-31'), at: datetime('2026-01-31T10:00:00Z'), local: localdatetime('2026-01-31T10:00:00'), clock: time('10:00:00Z')})", nil)
		set(t, store, "dated", int64(2))
		g.Exec(t, "MATCH (t:SYS_Threshold {name: 'dated'}) REMOVE t.on, t.at, t.local, t.clock", nil)
		set(t, store, "dated", int64(3))
		history := entries(t, store, "threshold", "dated")
		back("threshold", "dated", history[len(history)-1].To)
		types := g.Rows(t, "MATCH (t:SYS_Threshold {name: 'dated'}) RETURN valueType(t.on) + valueType(t.at) + valueType(t.local) + valueType(t.clock) AS types, t.value AS value", nil)[0]
		if types["types"] != "DATE NOT NULLZONED DATETIME NOT NULLLOCAL DATETIME NOT NULLZONED TIME NOT NULL" || types["value"] != int64(1) {
			t.Errorf("%v", types)
		}
	})
	t.Run("what cannot be", func(t *testing.T) {
		g.Exec(t, "CREATE (:SYS_Threshold {name: 'placed', value: 1, at: point({x: 1, y: 2})})", nil)
		set(t, store, "placed", int64(2))
		g.Exec(t, "MATCH (t:SYS_Threshold {name: 'placed'}) REMOVE t.at", nil)
		for _, r := range []struct {
			of   policies.Subject
			to   string
			code fault.Code
		}{
			{policies.Subject{Kind: "threshold", Name: "placed"}, entries(t, store, "threshold", "placed")[1].To, fault.Conflict},
			{policies.Subject{Kind: "threshold", Name: "bar"}, "2020-01-01", fault.NotFound},
			{policies.Subject{Kind: "threshold", Name: "nope"}, "2020-01-01", fault.NotFound},
		} {
			if _, err := store.Revert(t.Context(), policies.Reversion{Subject: r.of, To: r.to, Reason: "x"}); !fault.Is(err, r.code) {
				t.Errorf("%v to %s: %v, want %s", r.of, r.to, err, r.code)
			}
		}
	})
}
