package decisions_test

import (
	"fmt"
	"testing"

	"nomograph/decisions"
	"nomograph/tools/toolstest"
)

func TestUpdate_EarlierText_StaysInRevisions(t *testing.T) {
	g, env := toolstest.Open(t)
	toolstest.Stage{Graph: g, App: env}.Play(t, "testdata/calls/update.txt")

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
