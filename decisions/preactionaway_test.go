package decisions_test

import (
	"context"
	"errors"
	"testing"

	"github.com/rs/zerolog"

	"nomograph/decisions"
	"nomograph/graph/graphtest"
	"nomograph/policies"
	"nomograph/search"
	"nomograph/trace"
)

// silent is an embedder that does not answer.
type silent struct{}

func (silent) Model() string { return "silent" }

func (silent) Embed(context.Context, []string) ([][]float32, error) {
	return nil, errors.New("connection refused")
}

// TestPreActionWhileTheEmbedderIsAway holds that the gate does not depend on it, and that the answer says so.
func TestPreActionWhileTheEmbedderIsAway(t *testing.T) {
	g := graphtest.New(t)
	log, index := trace.NewLog(g.DB, zerolog.Nop()), search.Open(g.DB, silent{}, zerolog.Nop())
	s := decisions.NewStore(g.DB, policies.NewStore(g.DB), log, index)
	t.Cleanup(func() {
		s.Close(context.Background())
		log.Close(context.Background())
		index.Close(context.Background())
	})
	out, err := s.PreAction(t.Context(), intended("Use PostgreSQL for the ledger"))
	if err != nil || !out.Allowed || !out.Recorded || out.RetrievalMode != search.Keyword || len(out.Notes) == 0 {
		t.Errorf("%+v, %v", out, err)
	}
}
