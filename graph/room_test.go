package graph_test

import (
	"strings"
	"sync"
	"testing"

	"nomograph/fault"
	"nomograph/graph"
	"nomograph/graph/graphtest"
)

// TestManyLargeQueriesTakeTurns asks at once what the engine has memory for only one after another.
func TestManyLargeQueriesTakeTurns(t *testing.T) {
	g := graphtest.New(t)
	const list = "WITH [x IN range(1, 100000) | [y IN range(1, 45) | x * y]] AS l RETURN "
	var callers sync.WaitGroup
	// One is read whole. Of the others only a size is, since reading is most of the time and the server needs as much for them.
	for _, q := range []graph.Question{
		{Query: list + "l", Timeout: 60},
		{Query: list + "size(l) AS n", Timeout: 60},
		{Query: "RETURN size(replace($a, 'a', $t)) / 700 AS n", Params: graph.Parameters{"a": strings.Repeat("a", 7000), "t": strings.Repeat("t", 10000)}, Timeout: 60},
	} {
		callers.Go(func() {
			a, err := g.Ask(t.Context(), q)
			if err != nil && !fault.Is(err, fault.QueryTimeout) && !(fault.Is(err, fault.Unavailable) && strings.Contains(err.Error(), "Other large queries")) {
				t.Errorf("%v", err)
			} else if err == nil && !a.Truncated && a.Rows[0][0] != int64(100000) {
				t.Errorf("%+v", a)
			}
		})
	}
	callers.Wait()
	if a := ask(t, g, graph.Question{Query: "RETURN 1 AS one"}); a.RowCount != 1 {
		t.Errorf("%+v", a)
	}
}

func TestWhatLuceneRejectsIsAnsweredWithItsWords(t *testing.T) {
	g := graphtest.New(t)
	for text, words := range map[string]string{"(cache": "ParseException", "cache AND": "ParseException"} {
		_, err := g.Ask(t.Context(), graph.Question{Query: "CALL db.index.fulltext.queryNodes('decision_text', $q) YIELD node RETURN node", Params: graph.Parameters{"q": text}})
		if f := wantFault(t, err, fault.QueryFailed); !strings.Contains(f.Message, words) || !strings.Contains(f.Message, "db.index.fulltext.queryNodes") {
			t.Errorf("%.20q: %s", text, f.Message)
		}
	}
	for _, text := range []string{"/.*.*.*x/", "*ache", "cache~", "use ?ache"} {
		_, err := g.Ask(t.Context(), graph.Question{Query: "CALL db.index.fulltext.queryNodes('decision_text', $q) YIELD node RETURN node", Params: graph.Parameters{"q": text}})
		wantFault(t, err, fault.QueryRefused)
	}
}
