package graph_test

import (
	"fmt"
	"testing"

	"nomograph/graph"
	"nomograph/graph/graphtest"
	"nomograph/internal/apperr"
	"nomograph/internal/golden"
)

// TestQuery_LargeQueries_RunInTurn runs queries that fit into memory only one after another, while another query runs.
func TestQuery_LargeQueries_RunInTurn(t *testing.T) {
	g := graphtest.New(t)
	large := graph.ReadQuery{Query: "WITH [x IN range(1, 100000) | [y IN range(1, 45) | x * y]] AS l RETURN size(l) AS n", Timeout: 2}
	leave := g.TakeTurn()
	_, err := g.RunReadOnly(t.Context(), large)
	golden.Contains(t, fmt.Sprint("at the same time as another query: ", err),
		wantError(t, err, apperr.Unavailable).Message, "Other large queries")
	golden.Equal(t, "a small query at the same time", ask(t, g, graph.ReadQuery{Query: "RETURN 1 AS one"}).RowCount, 1)

	waiting := make(chan error, 1)
	large.Timeout = 60
	go func() {
		a, err := g.RunReadOnly(t.Context(), large)
		if err == nil && a.Rows[0][0] != int64(100000) {
			err = fmt.Errorf("%+v", a)
		}
		waiting <- err
	}()
	graphtest.Until(t, "the large query waits for its turn",
		func() bool { return graphtest.Running("takeTurn(", "RunReadOnly(") > 0 })
	leave()
	if err := graphtest.Receive(t, "the large query is answered", waiting); err != nil {
		t.Errorf("after the others: got %v, want no error", err)
	}
}

func TestSearch_LuceneError_IsInTheMessage(t *testing.T) {
	g := graphtest.New(t)
	for text, words := range map[string]string{"(cache": "ParseException", "cache AND": "ParseException"} {
		_, err := g.RunReadOnly(t.Context(), graph.ReadQuery{Query: "CALL db.index.fulltext.queryNodes('decision_text', $q) YIELD node RETURN node", Params: graph.Parameters{"q": text}})
		golden.Contains(t, text, wantError(t, err, apperr.QueryFailed).Message, words, "db.index.fulltext.queryNodes")
	}
	for _, text := range []string{"/.*.*.*x/", "*ache", "cache~", "use ?ache"} {
		_, err := g.RunReadOnly(t.Context(), graph.ReadQuery{Query: "CALL db.index.fulltext.queryNodes('decision_text', $q) YIELD node RETURN node", Params: graph.Parameters{"q": text}})
		wantError(t, err, apperr.QueryRefused)
	}
}
