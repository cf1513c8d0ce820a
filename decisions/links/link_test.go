package links_test

import (
	"strings"
	"sync"
	"testing"

	"nomograph/decisions/links"
	"nomograph/graph/graphtest"
	"nomograph/internal/apperr"
	"nomograph/tools/toolstest"
)

func TestLink_TwoDecisions_IsStoredOnce(t *testing.T) {
	g, env := toolstest.Open(t)
	ctx := t.Context()
	id := toolstest.Some(t, g, "abcdef01")
	toolstest.Stage{Graph: g, App: env}.Play(t, "testdata/calls/link.txt")
	t.Run("two writers do not close a cycle together", func(t *testing.T) {
		for range 20 {
			g.Exec(t, "MATCH ()-[r:SUPERSEDES]->() DELETE r", nil)
			toolstest.Link(t, env, id["a"], "supersedes", id["b"])
			toolstest.Link(t, env, id["c"], "supersedes", id["d"])
			var wait sync.WaitGroup
			errs := make([]error, 2)
			for i, ends := range [][2]string{{id["b"], id["c"]}, {id["d"], id["a"]}} {
				wait.Go(func() {
					_, errs[i] = env.Links.Link(ctx, links.LinkRequest{SourceID: ends[0], TargetID: ends[1],
						EdgeType: "supersedes"})
				})
			}
			wait.Wait()
			if (errs[0] == nil) == (errs[1] == nil) || !apperr.Is(errs[0], apperr.Conflict) &&
				!apperr.Is(errs[1], apperr.Conflict) {
				t.Fatalf("got %v and %v, want one success and one conflict", errs[0], errs[1])
			}
		}
	})
	t.Run("writers of one link make it once", func(t *testing.T) {
		var wait sync.WaitGroup
		var mu sync.Mutex
		created := 0
		for i := range 16 {
			wait.Go(func() {
				source, target := id["0"], id["1"]
				if i%2 == 0 { // half of the links in reverse order, so that locks conflict
					source, target = target, source
				}
				made, err := env.Links.Link(ctx, links.LinkRequest{SourceID: source, TargetID: target,
					EdgeType: "relates_to"})
				mu.Lock()
				defer mu.Unlock()
				if err != nil {
					t.Errorf("got %v, want no error", err)
				}
				if made.Created {
					created++
				}
			})
		}
		wait.Wait()
		if created != 2 {
			t.Errorf("%d were made", created)
		}
	})
	t.Run("the session records links and lookups", func(t *testing.T) {
		shown := func() string {
			var all []string
			for _, row := range g.Rows(t, "MATCH (:Session {id: 's'})-[:RECORDED]->(e:TraceEvent) RETURN e.type + e.payload AS told ORDER BY e.seq", nil) {
				all = append(all, row["told"].(string))
			}
			return strings.Join(all, " ")
		}
		// the lookup is stored after the answer
		graphtest.Until(t, "the lookup is stored", func() bool { return strings.Contains(shown(), "lookup") })
		if all := shown(); !strings.Contains(all, "link{") || !strings.Contains(all, "a mistake") ||
			!strings.Contains(all, "lookup{") {
			t.Errorf("the session holds %s", all)
		}
	})
	t.Run("another process sees the links", func(t *testing.T) {
		got, err := toolstest.App(t, g.DB).Links.Graph(ctx, links.GraphQuery{NodeID: id["f"]})
		if err != nil || len(got.Edges) != 1 || got.Edges[0].SourceID != id["f"] || got.Edges[0].TargetID != id["e"] {
			t.Errorf("got %+v, %v, want len(Edges)=1, SourceID=%v, TargetID=%v", got, err, id["f"], id["e"])
		}
	})
}
