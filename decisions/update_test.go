package decisions_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"nomograph/decisions"
	"nomograph/graph/graphtest"
	"nomograph/internal/apperr"
	"nomograph/tools/toolstest"
)

func TestUpdate_EarlierText_StaysInRevisions(t *testing.T) {
	g, env := toolstest.Open(t)
	out := toolstest.Record(t, env, decisions.Record{Decision: "Use Redis", Confidence: 0.7,
		ExtraFields: decisions.ExtraFields{Context: "Sessions are slow", Tags: []string{"cache", "db"},
			Pattern: "Cache aside", Reasons: []decisions.Reason{{Type: "analysis", Text: "It is fast"},
				{Type: "pattern", Text: "We know it"}}, Project: "a/b"}})
	update := func(t *testing.T, u decisions.Update) decisions.Updated {
		t.Helper()
		if u.ID == "" {
			u.ID = out.ID
		}
		return graphtest.Must(env.Decisions.Update(t.Context(), u))(t)
	}
	first := update(t, decisions.Update{Decision: "Use Valkey", Confidence: new(0.0), Tags: []string{"db", "License"},
		Pattern: "Cache through", Project: "a/c",
		Reasons: []decisions.Reason{{Type: "constraint", Text: "The licence"}},
		Bridge:  &decisions.Bridge{Structure: "key-value store", Function: "sessions"},
		Feature: "login", PR: 7, ReviewIn: "7d", Visibility: "shared", MentalState: "reactive",
		KPIIndicators: []string{"p99"}, Why: "the licence changed", Session: decisions.Session{By: "ada"}})
	want := []string{"bridge", "confidence", "decision", "feature", "kpi_indicators", "mental_state", "pattern", "pr",
		"project", "reasons", "review_by", "tags", "visibility"}
	if diff := cmp.Diff(decisions.Updated{Success: true, ID: out.ID, UpdatedFields: want, Revision: 1,
		Indexed: "pending"}, first); diff != "" {
		t.Errorf("the answer: %s", diff)
	}
	d := toolstest.Get(t, env, out.ID)
	for name, want := range map[string]any{"decision": "Use Valkey", "context": "Sessions are slow", "confidence": 0.0,
		"tags": []any{"db", "License"}, "pattern": "Cache through",
		"project": "a/c", "feature": "login", "pr": 7.0, "visibility": "shared", "mental_state": "reactive",
		"kpi_indicators": []any{"p99"}, "structure": "key-value store",
		"function": "sessions", "bridge_method": "explicit", "revision": 1.0,
		"reasons": []any{map[string]any{"type": "constraint", "text": "The licence", "strength": 0.8}}} {
		if diff := cmp.Diff(want, d[name]); diff != "" {
			t.Errorf(`%s: got %s, want ""`, name, diff)
		}
	}
	if d["review_by"] == nil {
		t.Error("got no review_by, want a date")
	}
	history := d["history"].([]any)
	newest, recording := history[0].(map[string]any), history[1].(map[string]any)
	changes := newest["changes"].(map[string]any)
	if len(history) != 2 || newest["by"] != "ada" || newest["reason"] != "the licence changed" ||
		newest["revision"] != 1.0 || recording["revision"] != 0.0 || recording["by"] != "tester" {
		t.Errorf("the history is %v", history)
	}
	for name, want := range map[string]any{"decision": "Use Redis", "confidence": 0.7, "tags": []any{"cache", "db"},
		"pattern": "Cache aside", "project": "a/b",
		"feature": nil, "bridge": nil, "pr": nil, "reasons": []any{map[string]any{"type": "analysis",
			"text": "It is fast", "strength": 0.8},
			map[string]any{"type": "pattern", "text": "We know it", "strength": 0.8}}} {
		if diff := cmp.Diff(want, changes[name].(map[string]any)["from"]); diff != "" {
			t.Errorf("%s was: %s", name, diff)
		}
	}
	around := g.Rows(t, `MATCH (d:Decision {id: $id}) RETURN COLLECT { MATCH (d)-[:TAGGED]->(t) RETURN t.key ORDER BY t.key } AS tags, COLLECT { MATCH (d)-[:FOLLOWS]->(p) RETURN p.name } AS patterns,
		COLLECT { MATCH (d)-[:IN_PROJECT]->(p) RETURN p.key } AS projects, COLLECT { MATCH (d)-[:BECAUSE]->(r) RETURN r.text } AS reasons, COUNT { MATCH (r:Reason) } AS all,
		d.terms AS terms, d.facets AS facets, d.quality_score AS quality`, map[string]any{"id": out.ID})[0]
	if !cmp.Equal(around["tags"], []any{"db", "license"}) || !cmp.Equal(around["patterns"], []any{"Cache through"}) ||
		!cmp.Equal(around["projects"], []any{"a/c"}) ||
		!cmp.Equal(around["reasons"], []any{"The licence"}) || around["all"] != int64(1) {
		t.Errorf("got surroundings %v, want the reason The licence and one more relationship", around)
	}
	if terms := around["terms"].(string); !strings.Contains(terms, "The licence") ||
		strings.Contains(terms, "It is fast") || !strings.Contains(terms, "License") {
		t.Errorf("search finds it by %q", terms)
	}
	if quality := around["quality"].(float64); quality != 0.60 { // pattern, tags, bridge, context, project
		t.Errorf("got quality %v, want 0.60", quality)
	}
	if got, err := env.Decisions.Get(t.Context(), decisions.GetQuery{ID: out.ID, History: new(false)}); err != nil ||
		got.Decision["history"] != nil {
		t.Errorf("without its history: %v, %v", got.Decision["history"], err)
	}

	t.Run("an update without changes creates no revision", func(t *testing.T) {
		same := update(t, decisions.Update{Decision: "Use Valkey", Confidence: new(0.0),
			Tags: []string{"db", "License"}, Reasons: []decisions.Reason{{Type: "constraint", Text: "The licence"}},
			Bridge: &decisions.Bridge{Structure: "key-value store", Function: "sessions"}, PR: 7,
			Session: decisions.Session{By: "ada"}})
		if len(same.UpdatedFields) != 0 || same.Revision != 1 {
			t.Errorf("got %+v, want no updated field and revision 1", same)
		}
		if empty := update(t, decisions.Update{Session: decisions.Session{By: "ada"}}); len(empty.UpdatedFields) != 0 {
			t.Errorf("an empty update: got %+v, want no updated field", empty)
		}
	})

	t.Run("an empty list removes all items", func(t *testing.T) {
		if none := update(t, decisions.Update{Tags: []string{}, Reasons: []decisions.Reason{},
			Session: decisions.Session{By: "ada"}}); !cmp.Equal(none.UpdatedFields, []string{"reasons", "tags"}) {
			t.Errorf("got %+v, want the updated fields reasons and tags", none)
		}
		rows := g.Rows(t, "MATCH (d:Decision {id: $id}) RETURN d.tags AS tags, COUNT { (d)-[:TAGGED|BECAUSE]->() } AS n", map[string]any{"id": out.ID})[0]
		if rows["tags"] != nil || rows["n"] != int64(0) {
			t.Errorf("got %v, want no tag or reason", rows)
		}
		if again := update(t, decisions.Update{Tags: []string{},
			Session: decisions.Session{By: "ada"}}); len(again.UpdatedFields) != 0 {
			t.Errorf("the second time: got %+v, want no updated field", again)
		}
	})

	t.Run("an outdated revision is a conflict", func(t *testing.T) {
		_, err := env.Decisions.Update(t.Context(), decisions.Update{ID: out.ID, Decision: "Use memcached",
			Revision: new(int64(1)), Session: decisions.Session{By: "bo"}})
		if f := apperr.From(err); f.Code != apperr.Conflict || !strings.Contains(f.Message, "revision 2, not 1") {
			t.Errorf("got %v, want a conflict with revision 2", err)
		}
		if right := update(t, decisions.Update{Decision: "Use memcached", Revision: new(int64(2)),
			Session: decisions.Session{By: "bo"}}); right.Revision != 3 {
			t.Errorf("with the current revision: got %+v, want revision 3", right)
		}
	})

	t.Run("a derived bridge follows the text", func(t *testing.T) {
		plain := toolstest.Record(t, env, decisions.Record{Decision: "Split the monolith", Confidence: 0.7,
			ExtraFields: decisions.ExtraFields{Pattern: "Divide"}})
		update(t, decisions.Update{ID: plain.ID, Decision: "Keep the monolith", Pattern: "Unite"})
		d := toolstest.Get(t, env, plain.ID)
		if d["structure"] != "Keep the monolith" || d["function"] != "Unite" || d["bridge_method"] != "rule" {
			t.Errorf("got structure %v and function %v, want the new text and pattern", d["structure"], d["function"])
		}
	})

	t.Run("concurrent updates each create a revision", func(t *testing.T) {
		busy := toolstest.Record(t, env, decisions.Record{Decision: "Edited by all", Confidence: 0.7,
			ExtraFields: decisions.ExtraFields{Tags: []string{"t0", "t1"}}})
		succeeded, errs := toolstest.Concurrently(16, func(i int) error {
			return errorOf(env.Decisions.Update(t.Context(),
				decisions.Update{ID: busy.ID, Context: fmt.Sprint("by ", i),
					Tags:    []string{fmt.Sprint("t", i%5), fmt.Sprint("t", (i+3)%5)},
					Session: decisions.Session{By: "ada"}}))
		})
		if succeeded != 16 {
			t.Errorf("%d of 16 updates succeeded: %v", succeeded, errs)
		}
		row := g.Rows(t, `MATCH (d:Decision {id: $id})-[:HAS_REVISION]->(r) WITH d, r ORDER BY r.number
			RETURN d.revision AS revision, collect(r.number) = range(1, 16) AS gapless, COUNT { (d)-[:TAGGED]->() } = size(d.tags) AS tags`, map[string]any{"id": busy.ID})[0]
		if row["revision"] != int64(16) || row["gapless"] != true || row["tags"] != true {
			t.Errorf("got %v, want 16 revisions and two tags", row)
		}
	})
}
