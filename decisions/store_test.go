package decisions_test

import (
	"context"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"nomograph/decisions"
	"nomograph/fault"
	"nomograph/graph/graphtest"
	"nomograph/policies"
	"nomograph/search"
	"nomograph/trace"
)

// open gives a store on a clean graph, with the built-in embedder.
func open(t *testing.T) (*graphtest.Graph, *decisions.Store) {
	t.Helper()
	g := graphtest.New(t)
	return g, another(t, g)
}

// another gives a second store on the same graph, as another process would have it.
func another(t *testing.T, g *graphtest.Graph) *decisions.Store {
	t.Helper()
	log := trace.NewLog(g.DB, zerolog.Nop())
	index := search.Open(g.DB, search.Builtin(), zerolog.Nop())
	t.Cleanup(func() { log.Close(context.Background()); index.Close(context.Background()) })
	rules := policies.NewStore(g.DB)
	rules.Settings.CheckTimeout = time.Minute // a busy machine plans a statement anew for seconds
	s := decisions.NewStore(g.DB, rules, log, index)
	t.Cleanup(func() { s.Close(context.Background()) })
	return s
}

// record records a decision that nothing stands against.
func record(t *testing.T, s *decisions.Store, r decisions.Record) decisions.Recorded {
	t.Helper()
	if r.Category == "" {
		r.Category = "architecture"
	}
	if r.By == "" {
		r.By = "tester"
	}
	out, err := s.Record(t.Context(), r)
	if err != nil {
		t.Fatalf("recording %q: %v", r.Decision, err)
	}
	if !out.Success {
		t.Fatalf("recording %q was refused: %+v", r.Decision, out.Violations)
	}
	return out
}

var nop = zerolog.Nop()

func isConflict(err error) bool { return fault.Is(err, fault.Conflict) }
