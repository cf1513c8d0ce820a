package decisions_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"nomograph/decisions"
	"nomograph/graph"
	"nomograph/graph/graphtest"
	"nomograph/internal/apperr"
	"nomograph/tools/toolstest"
)

func TestReview_Second_IsAppended(t *testing.T) {
	g, env := toolstest.Open(t)
	out := toolstest.Record(t, env, decisions.Record{Decision: "Cache everything", Confidence: 0.7,
		ExtraFields: decisions.ExtraFields{Tags: []string{"speed"}}})
	review := func(t *testing.T, o decisions.Outcome) decisions.Reviewed {
		t.Helper()
		o.ID = out.ID[:6]
		return graphtest.Must(env.Decisions.Review(t.Context(), o))(t)
	}
	first := review(t, decisions.Outcome{Outcome: "success", ActualResult: "Twice as fast",
		Lessons: "Measure zebras first", Notes: "n", Session: decisions.Session{By: "ada"},
		AffectedKPIs: graph.Parameters{"p99_ms": 12.0, "hits": int64(3), "mood": "good"}})
	if !first.Success || first.ID != out.ID || first.Status != "reviewed" || first.ReviewNumber != 1 ||
		first.SupersedesReview != 0 || first.Reindexed != "pending" {
		t.Errorf("the first is %+v", first)
	}
	if again := review(t, decisions.Outcome{Outcome: "success", ActualResult: "Twice as fast",
		Lessons: "Measure zebras first", Notes: "n", Session: decisions.Session{By: "ada"},
		AffectedKPIs: graph.Parameters{"p99_ms": 12.0, "hits": int64(3), "mood": "good"}}); !again.Repeated ||
		again.ReviewNumber != 1 || !again.ReviewedAt.Equal(first.ReviewedAt) {
		t.Errorf("the same review again: got %+v, want the first answer", again)
	}
	if other := review(t, decisions.Outcome{Outcome: "success", ActualResult: "Twice as fast",
		Lessons: "Measure zebras first", Notes: "n", Session: decisions.Session{By: "bo"}}); other.Repeated ||
		other.SupersedesReview != 1 {
		t.Errorf("by another reviewer: got %+v, want a second review", other)
	}
	if third := review(t, decisions.Outcome{Outcome: "failure", Lessons: "It was stale",
		Session: decisions.Session{By: "ada"}}); third.ReviewNumber != 3 || third.SupersedesReview != 2 {
		t.Errorf("the third is %+v", third)
	}
	d := toolstest.Get(t, env, out.ID)
	if d["outcome"] != "failure" || d["status"] != "reviewed" || d["reviewed_at"] == nil {
		t.Errorf("the decision says %v, %v, %v", d["outcome"], d["status"], d["reviewed_at"])
	}
	reviews := d["reviews"].([]any)
	kinds := []string{}
	for _, r := range reviews {
		r := r.(map[string]any)
		kinds = append(kinds, fmt.Sprintf("%v %v %v %v", r["number"], r["outcome"], r["in_force"], r["by"]))
	}
	if diff := cmp.Diff([]string{"3 failure true ada", "2 success false bo", "1 success false ada"},
		kinds); diff != "" {
		t.Errorf("reviews: %s", diff)
	}
	stored := reviews[2].(map[string]any)
	if stored["actual_result"] != "Twice as fast" || stored["lessons"] != "Measure zebras first" ||
		stored["notes"] != "n" {
		t.Errorf("got %v, want the texts of the first review unchanged", stored)
	}
	if raw, _ := json.Marshal(stored["affected_kpis"]); string(raw) != `{"hits":3,"mood":"good","p99_ms":12}` {
		t.Errorf("its KPIs are %s", raw)
	}
	row := g.Rows(t, "MATCH (d:Decision {id: $id}) RETURN d.terms AS terms, d.facets AS facets, d:Unindexed OR EXISTS { (d)<-[:OF]-() } AS marked", map[string]any{"id": out.ID})[0]
	if terms := row["terms"].(string); !strings.Contains(terms, "It was stale") || strings.Contains(terms, "zebras") ||
		!strings.Contains(terms, "speed") || row["marked"] != true {
		t.Errorf("search finds it by %q, marked %v", terms, row["marked"])
	}

	t.Run("many at once", func(t *testing.T) {
		busy := toolstest.Record(t, env, decisions.Record{Decision: "Reviewed by all", Confidence: 0.7})
		succeeded, errs := toolstest.Concurrently(16, func(i int) error {
			return errorOf(env.Decisions.Review(t.Context(),
				decisions.Outcome{ID: busy.ID, Outcome: "partial", Lessons: fmt.Sprint(i),
					Session: decisions.Session{By: "ada"}}))
		})
		if succeeded != 16 {
			t.Errorf("%d of 16 succeeded: %v", succeeded, errs)
		}
		rows := g.Rows(t, `MATCH (:Decision {id: $id})-[:HAS_REVIEW]->(r) WITH r ORDER BY r.number
			RETURN collect(r.number) = range(1, 16) AS gapless, count(CASE WHEN r.in_force THEN 1 END) AS in_force, max(r.number) AS last, [x IN collect(r) WHERE x.in_force | x.number] AS n`,
			map[string]any{"id": busy.ID})[0]
		if rows["gapless"] != true || rows["in_force"] != int64(1) || !cmp.Equal(rows["n"], []any{int64(16)}) {
			t.Errorf("reviews are %v", rows)
		}
	})

	t.Run("an unknown decision fails alone", func(t *testing.T) {
		ids := make([]string, 4)
		for i := range ids {
			ids[i] = toolstest.Record(t, env, decisions.Record{Decision: fmt.Sprint("One of some ", i),
				Confidence: 0.7}).ID
		}
		ids = append(ids, "zzzzzzzz", "zzzz")
		succeeded, errs := toolstest.Concurrently(24, func(i int) error {
			id := ids[i%len(ids)]
			if i < 12 { // called by id, as people do
				id = id[:min(len(id), 7)]
			}
			return errorOf(env.Decisions.Review(t.Context(),
				decisions.Outcome{ID: id, Outcome: "success", Lessons: fmt.Sprint(i),
					Session: decisions.Session{By: "ada"}}))
		})
		if succeeded != 16 || len(errs) != 8 {
			t.Errorf("%d of 16 succeeded: %v", succeeded, errs)
		}
		for _, err := range errs {
			if !apperr.Is(err, apperr.NotFound) {
				t.Errorf("it fails with %v", err)
			}
		}
		if n := toolstest.Count(t, g, "MATCH (d:Decision)-[:HAS_REVIEW]->(r {in_force: true}) WHERE d.decision STARTS WITH 'One of some' AND r.number = 4 RETURN count(r)"); n != 4 {
			t.Errorf("%d have their fourth review in force", n)
		}
	})

	t.Run("KPIs are numbers or text", func(t *testing.T) {
		_, err := env.Decisions.Review(t.Context(), decisions.Outcome{ID: out.ID, Outcome: "success",
			AffectedKPIs: graph.Parameters{"a": []any{}}})
		if f := apperr.From(err); f.Code != apperr.Validation || f.Hint == "" {
			t.Errorf("got %v, want a validation_error with a hint", err)
		}
	})
}
