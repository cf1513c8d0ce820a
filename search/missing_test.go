package search

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/rs/zerolog"

	"nomograph/graph"
	"nomograph/graph/graphtest"
	"nomograph/internal/apperr"
)

// TestSearch_MissingIndexes_Answers searches a graph that was never migrated, and a graph with a dropped index.
func TestSearch_MissingIndexes_Answers(t *testing.T) {
	g := graphtest.Unmigrated(t)
	db := graph.Open(graph.Options{URI: g.Endpoint.URI, Username: g.Endpoint.Username, Password: g.Endpoint.Password,
		Database: g.Endpoint.Database, Log: zerolog.Nop()})
	defer func() { _ = db.Close(context.Background()) }()
	x := Open(db, Builtin(), zerolog.Nop())
	defer x.Close(t.Context())
	for _, mode := range []string{Keyword, Semantic, Hybrid} {
		_, err := x.Search(t.Context(), Question{Text: "postgres", Mode: mode})
		if !apperr.Is(err, apperr.Unavailable) || !strings.Contains(apperr.From(err).Hint, "when it starts") {
			t.Errorf(`%s: got %v (%v), want %s, Hint with "when it starts"`, mode, err, errors.Unwrap(apperr.From(err)),
				apperr.Unavailable)
		}
	}
	decide(t, g, "a", map[string]any{"decision": "Use Postgres"})
	graphtest.OK(t, x.Drain(t.Context()))
	g.Exec(t, "CREATE FULLTEXT INDEX decision_text IF NOT EXISTS FOR (d:Decision) ON EACH [d.decision, d.context, d.terms, d.facets]", nil)
	g.Exec(t, "CALL db.awaitIndexes(60)", nil)
	found := ask(t, x, Question{Text: "postgres"})
	graphtest.Values(t, "without vectors", found.Mode, Keyword, len(found.Hits), 1, len(found.Notes), 1)
	g.Exec(t, "DROP INDEX decision_text", nil)
	g.Exec(t, "CREATE VECTOR INDEX embedding_text IF NOT EXISTS FOR (e:Embedding) ON e.text OPTIONS {indexConfig: {`vector.similarity_function`: 'cosine'}}", nil)
	g.Exec(t, "CALL db.awaitIndexes(60)", nil)
	found = ask(t, x, Question{Text: "postgres"})
	graphtest.Values(t, "without full text", found.Mode, Semantic, len(found.Hits), 1, len(found.Notes), 1)
}
