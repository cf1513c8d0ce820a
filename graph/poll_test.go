package graph_test

import (
	"strings"
	"testing"

	"github.com/neo4j/neo4j-go-driver/v5/neo4j"

	"nomograph/graph"
	"nomograph/graph/graphtest"
	"nomograph/internal/apperr"
)

func TestPollCommits_OnlyCommits_ChangeTheResult(t *testing.T) {
	g := graphtest.New(t)
	g.Exec(t, "CREATE (:SYS_Threshold {name: 'x', value: 1})", nil)
	for _, uri := range []string{g.Endpoint.URI, "neo4j" + g.Endpoint.URI[len("bolt"):]} {
		scheme, _, _ := strings.Cut(uri, ":")
		t.Run(scheme, func(t *testing.T) {
			db := open(t, g, func(o *graph.Options) { o.URI = uri })
			position := func() string {
				t.Helper()
				bookmark, err := db.PollCommits(t.Context())
				if err != nil || bookmark == "" {
					t.Fatalf("got the bookmark %q, %v", bookmark, err)
				}
				return bookmark
			}
			first := position()
			t.Run("reads do not change the bookmark", func(t *testing.T) {
				for range 5 {
					g.Rows(t, "MATCH (n) RETURN n", nil)
					graphtest.Must(graph.All[struct{ One int }](t.Context(), db, statement("RETURN 1 AS one"),
						nil))(t)
					if again := position(); again != first {
						t.Fatalf("got %[2]s, want the unchanged bookmark %[1]s", first, again)
					}
				}
			})
			t.Run("a rolled-back transaction does not change the bookmark", func(t *testing.T) {
				session := g.Driver.NewSession(t.Context(), neo4j.SessionConfig{DatabaseName: g.Endpoint.Database})
				defer func() { _ = session.Close(t.Context()) }()
				tx := graphtest.Must(session.BeginTransaction(t.Context()))(t)
				graphtest.Must(tx.Run(t.Context(), "MATCH (t:SYS_Threshold) SET t.value = 7", nil))(t)
				graphtest.OK(t, tx.Rollback(t.Context()))
				if again := position(); again != first {
					t.Errorf("got %[2]s, want another bookmark than %[1]s", first, again)
				}
			})
			for _, c := range []struct {
				what   string
				commit func()
			}{
				{"a commit of another driver", func() {
					g.Exec(t, "MATCH (t:SYS_Threshold) SET t.value = t.value + 1", nil)
				}},
				{"a commit of ours", func() {
					graphtest.OK(t, db.Write(t.Context(), func(tx *graph.Tx) error {
						return tx.Run(t.Context(), writing("CREATE (:Written)"), nil)
					}))
				}},
				{"a deletion by another driver", func() { g.Exec(t, "MATCH (w:Written) DELETE w", nil) }},
			} {
				before := position()
				c.commit()
				if after := position(); after == before {
					t.Errorf("%s leaves it at %s", c.what, after)
				} else if again := position(); again != after {
					t.Errorf("after %s: got %[3]s, before it was %[2]s, want again=%v", c.what, after, again, after)
				}
			}
		})
	}
	t.Run("an explicit read transaction returns the same bookmark", func(t *testing.T) {
		bookmark := func() string {
			t.Helper()
			session := g.Driver.NewSession(t.Context(), neo4j.SessionConfig{AccessMode: neo4j.AccessModeRead,
				DatabaseName: g.Endpoint.Database})
			defer func() { _ = session.Close(t.Context()) }()
			tx := graphtest.Must(session.BeginTransaction(t.Context()))(t)
			graphtest.Must(tx.Run(t.Context(), "RETURN 1", nil))(t)
			graphtest.OK(t, tx.Commit(t.Context()))
			return session.LastBookmarks()[0]
		}
		position, err := g.PollCommits(t.Context())
		if explicit := bookmark(); err != nil || explicit != position {
			t.Errorf("got the bookmark %s (%v), want that of the transaction, %s", position, err, explicit)
		}
	})
	t.Run("an unreachable server is an error", func(t *testing.T) {
		_, err := open(t, g, func(o *graph.Options) { o.URI = "bolt://127.0.0.1:1" }).PollCommits(t.Context())
		wantError(t, err, apperr.Unavailable)
	})
}
