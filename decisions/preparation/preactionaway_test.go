package preparation_test

import (
	"context"
	"errors"
	"testing"

	"nomograph/graph/graphtest"
	"nomograph/search"
	"nomograph/tools"
	"nomograph/tools/toolstest"
)

// silent is an embedder that does not answer.
type silent struct{}

func (silent) Model() string { return "silent" }

func (silent) Embed(context.Context, []string) ([][]float32, error) {
	return nil, errors.New("connection refused")
}

// TestPreAction_NoEmbedder_UsesKeywords: the policy check works without the embedder, and the answer reports its
// absence.
func TestPreAction_NoEmbedder_UsesKeywords(t *testing.T) {
	g := graphtest.New(t)
	env := toolstest.AppWith(t, toolstest.Config(), tools.Options{Graph: g.DB, Embedder: silent{}})
	out, err := env.Preparation.PreAction(t.Context(), intended("Use PostgreSQL for the ledger"))
	if err != nil || !out.Allowed || !out.Recorded || out.RetrievalMode != search.Keyword || len(out.Notes) == 0 {
		t.Errorf("got %+v, %v, want Allowed=true, Recorded=true, RetrievalMode=%v, nonzero len(Notes)", out, err,
			search.Keyword)
	}
}
