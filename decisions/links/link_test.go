package links_test

import (
	"slices"
	"strings"
	"sync"
	"testing"

	"nomograph/decisions"
	"nomograph/decisions/links"
	"nomograph/graph/graphtest"
	"nomograph/internal/apperr"
	"nomograph/tools/toolstest"
)

func TestLink_TwoDecisions_IsStoredOnce(t *testing.T) {
	g, env := toolstest.Open(t)
	ctx := t.Context()
	id := toolstest.Some(t, g, "abcdef")
	half := 0.5

	t.Run("the same link again changes weight and context only", func(t *testing.T) {
		first, err := env.Links.Link(ctx, links.LinkRequest{SourceID: id["a"], TargetID: id["b"],
			EdgeType: "depends_on", Caller: decisions.Caller{Session: decisions.Session{By: "one"}},
			Context: "it needs it; password=hunter2hunter2"})
		if err != nil || !first.Success || !first.Created || first.Edge.Weight != 1 || first.Edge.CreatedBy != "one" ||
			first.Edge.CreatedAt.IsZero() {
			t.Fatalf("got %+v, %v, want Success=true, Created=true, Weight=1, CreatedBy=one, first.Edge.CreatedAt.IsZero()=false", first, err)
		}
		if strings.Contains(first.Edge.Context, "hunter2") {
			t.Errorf("got a stored secret: %s", first.Edge.Context)
		}
		again, err := env.Links.Link(ctx, links.LinkRequest{SourceID: id["a"], TargetID: id["b"],
			EdgeType: "depends_on", Caller: decisions.Caller{Session: decisions.Session{By: "two"}}, Weight: &half,
			Context: "only partly"})
		if err != nil || again.Created || again.Edge.Weight != 0.5 || again.Edge.Context != "only partly" ||
			again.Edge.CreatedBy != "one" || !again.Edge.CreatedAt.Equal(first.Edge.CreatedAt) {
			t.Errorf(`got %+v, %v, want Created=false, Weight=0.5, Context="only partly", CreatedBy=one, again.Edge.CreatedAt.Equal(first.Edge.CreatedAt)=true`, again, err)
		}
		if stored := toolstest.Link(t, env, id["a"], "depends_on", id["b"]); stored.Edge.Weight != 0.5 ||
			stored.Edge.Context != "only partly" {
			t.Errorf("got %+v after a repetition without weight and context, want both unchanged", stored.Edge)
		}
		if n := g.Rows(t, "MATCH (:Decision)-[r:DEPENDS_ON]->(:Decision) RETURN count(r) AS n",
			nil)[0]["n"]; n != int64(1) {
			t.Errorf("%d links", n)
		}
	})
	t.Run("invalid links are refused", func(t *testing.T) {
		zero, two := 0.0, 2.0
		for name, c := range map[string]struct {
			request links.LinkRequest
			code    apperr.Code
			says    string
		}{
			"itself": {links.LinkRequest{SourceID: id["a"], TargetID: "aaaa", EdgeType: "blocks"},
				apperr.Validation, "itself"},
			"unknown": {links.LinkRequest{SourceID: id["a"], TargetID: "bbbbbbbc", EdgeType: "blocks"},
				apperr.NotFound, "bbbbbbbb"},
			"no type": {links.LinkRequest{SourceID: id["a"], TargetID: id["b"], EdgeType: "likes"},
				apperr.Validation, "contradicts"},
			"no weight": {links.LinkRequest{SourceID: id["a"], TargetID: id["b"], EdgeType: "blocks",
				Weight: &zero}, apperr.Validation, "above 0"},
			"a weight of 2": {links.LinkRequest{SourceID: id["a"], TargetID: id["b"], EdgeType: "blocks", Weight: &two},
				apperr.Validation, "above 0"},
		} {
			if _, err := env.Links.Link(ctx, c.request); !apperr.Is(err, c.code) ||
				!strings.Contains(err.Error(), c.says) {
				t.Errorf("%s is answered with %v", name, err)
			}
		}
		if n := g.Rows(t, "MATCH (:Decision)-[r:BLOCKS]->() RETURN count(r) AS n", nil)[0]["n"]; n != int64(0) {
			t.Errorf("%d links were made", n)
		}
	})
	t.Run("a cycle of depends_on is reported, one of supersedes is refused", func(t *testing.T) {
		toolstest.Link(t, env, id["b"], "depends_on", id["c"])
		if made := toolstest.Link(t, env, id["c"], "depends_on", id["a"]); !slices.Equal(made.Cycle,
			[]string{id["c"], id["a"], id["b"], id["c"]}) {
			t.Errorf("the circle is %v", made.Cycle)
		}
		toolstest.Link(t, env, id["a"], "supersedes", id["b"])
		toolstest.Link(t, env, id["b"], "supersedes", id["c"])
		_, err := env.Links.Link(ctx, links.LinkRequest{SourceID: id["c"], TargetID: id["a"], EdgeType: "supersedes"})
		if !apperr.Is(err, apperr.Conflict) || !strings.Contains(err.Error(),
			strings.Join([]string{id["c"], id["a"], id["b"], id["c"]}, " supersedes ")) {
			t.Errorf("answered with %v", err)
		}
		if n := g.Rows(t, "MATCH (:Decision {id: $id})-[r:SUPERSEDES]->() RETURN count(r) AS n",
			map[string]any{"id": id["c"]})[0]["n"]; n != int64(0) {
			t.Error("the link was created anyway")
		}
	})
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
				source, target := id["e"], id["f"]
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
	t.Run("a link is removed with a reason", func(t *testing.T) {
		gone, err := env.Links.Unlink(ctx, links.UnlinkRequest{SourceID: id["e"], TargetID: id["f"],
			EdgeType: "relates_to", Why: "a mistake", Caller: decisions.Caller{Session: decisions.Session{SessionID: "s", By: "tester"}}})
		if err != nil || gone.Edge.SourceID != id["e"] || gone.Edge.EdgeType != "relates_to" {
			t.Fatalf("got %+v, %v, want SourceID=%v, EdgeType=relates_to", gone, err, id["e"])
		}
		if _, err := env.Links.Unlink(ctx, links.UnlinkRequest{SourceID: id["e"], TargetID: id["f"],
			EdgeType: "relates_to", Why: "again"}); !apperr.Is(err, apperr.NotFound) {
			t.Errorf("again is answered with %v", err)
		}
		if left := g.Rows(t, "MATCH (:Decision {id: $id})-[r:RELATES_TO]->() RETURN count(r) AS n",
			map[string]any{"id": id["f"]})[0]["n"]; left != int64(1) {
			t.Errorf("got %v links in the opposite direction, want 1", left)
		}
	})
	t.Run("the session records links and lookups", func(t *testing.T) {
		graphtest.Must(env.Links.Neighbors(ctx, links.NeighborsQuery{NodeID: id["a"],
			Caller: decisions.Caller{Session: decisions.Session{SessionID: "s", By: "tester"}}}))(t)
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
