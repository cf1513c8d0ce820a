package history_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"nomograph/graph/graphtest"
	"nomograph/internal/apperr"
	"nomograph/internal/golden"
	"nomograph/policies"
	"nomograph/policies/check"
	"nomograph/policies/history"
	"nomograph/policies/live"
	"nomograph/tools/toolstest"
)

func TestHistory_ChangedThreshold_ReadsEarlierState(t *testing.T) {
	g, env := toolstest.Open(t)
	g.Exec(t, "CREATE (:SYS_Threshold {name: 'bar', value: 0.5, unit: 'ratio', last_reviewed: date('2026-01-31')})",
		nil)
	var versions []string
	for _, value := range []float64{0.6, 0.5, 0.7} {
		changed := toolstest.Set(t, env, "bar", value)
		versions = append(versions, changed.ToVersion)
		graphtest.NextMillisecond()
	}
	entries := toolstest.History(t, env, "threshold", "bar")
	kinds := []string{}
	for _, e := range entries {
		kinds = append(kinds, fmt.Sprintf("%s %s %v->%v", e.Kind, e.By, e.Changes["value"].From, e.Changes["value"].To))
	}
	// The manually set initial value was recorded at the first change. The change back from 0.6 to 0.5 is a separate
	// entry.
	want := []string{"applied ana 0.5->0.7", "applied ana 0.6->0.5", "applied ana 0.5->0.6",
		"observed unknown <nil>->0.5"}
	if !slices.Equal(kinds, want) {
		t.Fatalf("got %q, want %q", kinds, want)
	}
	if entries[1].To != entries[2].From || entries[1].To != entries[3].To {
		t.Error("the same content has two versions")
	}
	t.Run("pages list all versions in order", func(t *testing.T) {
		var got []string
		q := history.Query{Subject: policies.Subject{Kind: "threshold", Name: "bar"}, Page: policies.Page{Limit: 1}}
		for {
			page := graphtest.Must(env.History.Entries(t.Context(), q))(t)
			for _, e := range page.Entries {
				got = append(got, e.To)
			}
			if q.Cursor = page.NextCursor; q.Cursor == "" {
				break
			}
		}
		if !slices.Equal(got, []string{versions[2], versions[1], versions[0], entries[3].To}) {
			t.Errorf("got %v, want got=%v", got, []string{versions[2], versions[1], versions[0], entries[3].To})
		}
	})
	at := func(i int) string { return entries[len(entries)-1-i].At.Format(time.RFC3339Nano) }
	for when, value := range map[string]float64{at(0): 0.5, at(1): 0.6, at(2): 0.5, at(3): 0.7, versions[0][:10]: 0.6,
		versions[2]: 0.7, time.Now().UTC().Format(time.RFC3339Nano): 0.7} {
		node, err := env.Live.Threshold(t.Context(), live.ThresholdQuery{Name: "bar", AsOf: when})
		if err != nil || node.Properties["value"] != value || node.Properties["unit"] != "ratio" ||
			node.Properties["last_reviewed"] != "2026-01-31" ||
			node.Reading.Source != "version" || node.Reading.Since == nil {
			t.Errorf("as of %s: %+v %v, want %v", when, node, err, value)
		}
	}
	t.Run("an invalid or unknown version is an error", func(t *testing.T) {
		for when, code := range map[string]apperr.Code{"2020-01-01": apperr.NotFound, "2999-01-01": apperr.Validation,
			"last week": apperr.Validation, "abc": apperr.Validation, "ffffffffff": apperr.NotFound} {
			_, err := env.Live.Threshold(t.Context(), live.ThresholdQuery{Name: "bar", AsOf: when})
			if !apperr.Is(err, code) || apperr.From(err).Hint == "" {
				t.Errorf("as of %s: %v, want %s with a hint", when, err, code)
			}
		}
		if _, err := env.Live.Threshold(t.Context(),
			live.ThresholdQuery{Name: "baz", AsOf: "2026-01-01"}); !apperr.Is(err, apperr.NotFound) ||
			!strings.Contains(err.Error(), "bar") {
			t.Errorf("got %v, want a similar name", err)
		}
		value := policies.ValueOf(1.0)
		if _, err := env.Live.Threshold(t.Context(),
			live.ThresholdQuery{Name: "nope", AsOf: "2026-01-01", Default: &value}); !apperr.Is(err, apperr.NotFound) {
			t.Errorf("a default was returned for a past time: %v", err)
		}
	})
	t.Run("two versions are compared", func(t *testing.T) {
		c, err := env.History.Compare(t.Context(), history.DiffQuery{Subject: policies.Subject{Kind: "threshold",
			Name: "bar"}, From: at(0)})
		if err != nil || len(c.Changes) != 1 || c.Changes["value"] != (history.Difference{From: 0.5, To: 0.7}) ||
			c.To != versions[2] {
			t.Errorf("got %+v %v, want len(Changes)=1, value=%v, To=%v", c, err,
				(history.Difference{From: 0.5, To: 0.7}), versions[2])
		}
		c, err = env.History.Compare(t.Context(), history.DiffQuery{Subject: policies.Subject{Kind: "threshold",
			Name: "bar"}, From: at(0), To: at(2)})
		if err != nil || len(c.Changes) != 0 {
			t.Errorf("got %+v %v, want no Changes", c, err)
		}
	})
	t.Run("a name without a history is not found", func(t *testing.T) {
		g.Exec(t, "CREATE (:SYS_Threshold {name: 'untouched', value: 1})", nil)
		_, err := env.History.Entries(t.Context(), history.Query{Subject: policies.Subject{Kind: "threshold",
			Name: "untouched"}})
		if !apperr.Is(err, apperr.NotFound) || !strings.Contains(apperr.From(err).Hint, "`sync_policies`") {
			t.Errorf("got %v, want error %s, Hint with %q", err, apperr.NotFound, "`sync_policies`")
		}
	})
}

func TestHistory_ScopedVariant_HasOwnHistory(t *testing.T) {
	g, env := toolstest.Open(t)
	g.Exec(t, "CREATE (:SYS_Threshold {name: 'bar', value: 0.9}), (:SYS_Threshold {name: 'bar_old', value: 0.7, domain_scope: 'old'}), (:SYS_Threshold {name: 'bar', value: 0.1, scope: 'new'})", nil)
	if synced, err := env.History.Sync(t.Context()); err != nil || synced.Changed != 3 {
		t.Fatalf("got %+v %v, want Changed=3", synced, err)
	}
	now := time.Now().UTC().Format(time.RFC3339Nano)
	for scope, value := range map[string]float64{"": 0.9, "old": 0.7, "new": 0.1, "other": 0.9} {
		node, err := env.Live.Threshold(t.Context(), live.ThresholdQuery{Name: "bar", Scope: scope, AsOf: now})
		if err != nil || node.Properties["value"] != value {
			t.Errorf("%q: %v %v, want %v", scope, node.Properties, err, value)
		}
	}
}

func TestHistory_ManualEdit_IsRecordedWhenNoticed(t *testing.T) {
	g, env := toolstest.Open(t)
	toolstest.ApplyText(t, env, "pack: mine\nversion: 1.0.0\nthresholds:\n- {name: t, value: 1}\n- {name: gone, value: 1}\npolicies:\n- {name: p, active: true, requires: 'threshold(\"t\") > 0'}\n")
	check := func() check.Verdict {
		t.Helper()
		v := graphtest.Must(env.Checks.Check(t.Context(), check.ActionCheck{Description: "x"}))(t)
		return v
	}
	first := check()
	graphtest.NextMillisecond()
	t.Run("a check records a manual edit with its time interval", func(t *testing.T) {
		g.Exec(t, "MATCH (t:SYS_Threshold {name: 't'}) SET t.value = 2", nil)
		second := check()
		newest := toolstest.History(t, env, "threshold", "t")[0]
		if newest.Kind != "observed" || newest.Since == nil || newest.Since.Before(first.At) ||
			newest.At.After(second.At) || newest.Changes["value"].To != int64(2) {
			t.Errorf("%+v; verdicts at %v and %v", newest, first.At, second.At)
		}
		between := newest.Since.Add(newest.At.Sub(*newest.Since) / 2)
		node, err := env.Live.Threshold(t.Context(),
			live.ThresholdQuery{Name: "t", AsOf: between.Format(time.RFC3339Nano)})
		if err != nil || node.Reading.Note == "" {
			t.Errorf("got %+v %v, want a note that the time is uncertain", node, err)
		}
	})
	t.Run("a change and its reversal are two changes", func(t *testing.T) {
		before := len(toolstest.History(t, env, "threshold", "t"))
		g.Exec(t, "MATCH (t:SYS_Threshold {name: 't'}) SET t.value = 3", nil)
		there := check()
		g.Exec(t, "MATCH (t:SYS_Threshold {name: 't'}) SET t.value = 2", nil)
		back := check()
		again := check()
		if got := len(toolstest.History(t, env, "threshold", "t")) - before; got != 2 ||
			there.Revision == back.Revision || back.Revision != again.Revision {
			t.Errorf("%d changes; revisions %s, %s, %s", got, there.Revision, back.Revision, again.Revision)
		}
	})
	t.Run("a plain read records nothing", func(t *testing.T) {
		before := len(toolstest.History(t, env, "policy", "p"))
		g.Exec(t, "MATCH (p:SYS_Policy {name: 'p'}) SET p.note = 'x'", nil)
		graphtest.Must(env.Live.Policy(t.Context(), live.PolicyQuery{Name: "p"}))(t)
		golden.Equal(t, "changes", len(toolstest.History(t, env, "policy", "p")), before)
	})
	t.Run("policy sync records edits and deletions", func(t *testing.T) {
		g.Exec(t, "MATCH (t:SYS_Threshold {name: 'gone'}) DETACH DELETE t", nil)
		g.Exec(t, "CREATE (:SYS_DecisionTable {table_id: 'D1_new'})-[:HAS_ROW]->(:SYS_DecisionRow {row_id: 'R1', conditions: 'true'})", nil)
		synced, err := env.History.Sync(t.Context())
		if err != nil || synced.Changed != 2 || synced.Gone != 1 {
			t.Fatalf("got %+v %v, want Changed=2, Gone=1", synced, err)
		}
		if e := toolstest.History(t, env, "threshold", "gone")[0]; e.Kind != "observed" || e.To != "" ||
			e.Since == nil {
			t.Errorf(`got %+v, want Kind=observed, To="", non-nil Since`, e)
		}
		if _, err := env.Live.Threshold(t.Context(),
			live.ThresholdQuery{Name: "gone", AsOf: time.Now().UTC().Format(time.RFC3339Nano)}); !apperr.Is(err,
			apperr.NotFound) {
			t.Errorf("got %v, want %s", err, apperr.NotFound)
		}
		g.Exec(t, "MATCH (r:SYS_DecisionRow {row_id: 'R1'}) SET r.conditions = 'false'", nil)
		again, err := env.History.Sync(t.Context())
		if err != nil || again.Changed != 1 || again.Gone != 0 {
			t.Fatalf("got %+v %v, want Changed=1, Gone=0", again, err)
		}
		golden.Equal(t, "row R1 conditions", toolstest.History(t, env, "table",
			"D1_new")[0].Changes["row R1 conditions"], (history.Difference{From: "true", To: "false"}))
		if quiet, err := env.History.Sync(t.Context()); err != nil || quiet.Changed+quiet.Gone != 0 {
			t.Errorf("got %+v %v, want (quiet.Changed + quiet.Gone)=0", quiet, err)
		}
	})
	t.Run("a manual edit before a write is a change of its own", func(t *testing.T) {
		g.Exec(t, "MATCH (t:SYS_Threshold {name: 't'}) SET t.value = 7", nil)
		toolstest.Set(t, env, "t", int64(8))
		got := toolstest.History(t, env, "threshold", "t")[:2]
		if got[0].Kind != "applied" || got[0].Changes["value"].From != int64(7) || got[1].Kind != "observed" ||
			got[1].Changes["value"].To != int64(7) {
			t.Errorf("got %+v, want got[0].Kind=applied, From=7, got[1].Kind=observed, To=7", got)
		}
	})
}

func TestHistory_VariantDeleted_IsNoticed(t *testing.T) {
	g, env := toolstest.Open(t)
	g.Exec(t, "CREATE (:SYS_Policy {name: 'p', scope: 'a', active: true}), (:SYS_Policy {name: 'p', scope: 'b', active: true})", nil)
	graphtest.Must(env.History.Sync(t.Context()))(t)
	g.Exec(t, "MATCH (p:SYS_Policy {scope: 'b'}) DETACH DELETE p", nil)
	golden.Equal(t, "gone", graphtest.Must(env.History.Sync(t.Context()))(t).Gone, 1)
	golden.Equal(t, "gone, again", graphtest.Must(env.History.Sync(t.Context()))(t).Gone, 0)
}
