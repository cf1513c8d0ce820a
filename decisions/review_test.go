package decisions_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"nomograph/decisions"
	"nomograph/internal/apperr"
	"nomograph/tools/toolstest"
)

func TestReview_Second_IsAppended(t *testing.T) {
	g, env := toolstest.Open(t)
	toolstest.Stage{Graph: g, App: env}.Play(t, "testdata/calls/review.txt")

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
}
