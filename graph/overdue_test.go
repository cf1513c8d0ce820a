package graph_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/neo4j/neo4j-go-driver/v5/neo4j"

	"nomograph/graph"
	"nomograph/graph/graphtest"
	"nomograph/internal/apperr"
	"nomograph/internal/golden"
)

// timeout is far longer than any step takes, even on a busy machine.
const timeout = 40 * time.Second

// ended waits until a query for running transactions returns nothing.
func ended(t *testing.T, g *graphtest.Graph, running string) {
	t.Helper()
	graphtest.Until(t, "what nobody waits for ends", func() bool { return len(g.Rows(t, running, nil)) == 0 })
}

// endless is a cartesian product that takes forever.
const endless = "MATCH (a:Many), (b:Many), (c:Many), (d:Many), (e:Many) RETURN max(a.i * b.i + c.i * d.i + e.i) AS m"

func withMany(t *testing.T) *graphtest.Graph {
	t.Helper()
	g := graphtest.New(t)
	g.Exec(t, "UNWIND range(1, 300) AS i CREATE (:Many {i: i})", nil)
	return g
}

func TestQuery_Timeout_Ends(t *testing.T) {
	g := withMany(t)
	known := 0 // transactions that the server reported as ended immediately; a busy server may report them later
	for name, query := range map[string]string{
		"rows":           endless,
		"before any row": "MATCH (a:Many), (b:Many), (c:Many) WHERE a.i + b.i + c.i < 0 RETURN a",
		"while it sends": "MATCH (a:Many), (b:Many), (c:Many), (d:Many) WITH a.i + b.i + c.i + d.i AS s RETURN s ORDER BY s",
		"profiled":       "PROFILE " + endless,
	} {
		t.Run(name, func(t *testing.T) {
			began := time.Now()
			_, err := g.RunReadOnly(t.Context(), graph.ReadQuery{Query: query, Timeout: 1})
			f := wantError(t, err, apperr.QueryTimeout)
			if took := time.Since(began); took < time.Second || took > timeout {
				t.Errorf("the query ended after %v", took)
			}
			if f.Details["ended"] == nil || f.Hint == "" {
				t.Errorf("%s, details %v", f.Error(), f.Details)
			}
			if f.Details["ended"] == true {
				known++
				if left := g.Rows(t, running, nil); len(left) != 0 {
					t.Errorf("the server still has %v", left)
				}
			}
			ended(t, g, running)
			golden.Equal(t, "the next call", ask(t, g, graph.ReadQuery{Query: "RETURN 1 AS one"}).RowCount, 1)
		})
	}
	if known == 0 {
		t.Error("the server reported no query as ended")
	}
}

func TestQuery_UninterruptibleExpression_IsNotWaitedFor(t *testing.T) {
	if testing.Short() {
		t.Skip("runs in make test-all")
	}
	g := graphtest.New(t)
	// The query takes 2 to 8 seconds of processor time; the supervisor restarts the engine after 25.
	const loop = "size([x IN range(1, 6000) WHERE any(y IN range(1, 1900) WHERE x * y < 0)])"
	began := time.Now()
	_, err := g.RunReadOnly(t.Context(), graph.ReadQuery{Query: "RETURN " + loop + " AS a, " + loop + " AS b, " + loop +
		" AS c, " + loop + " AS d", Timeout: 1})
	f := wantError(t, err, apperr.QueryTimeout)
	if took := time.Since(began); took > timeout || f.Details["ended"] == nil {
		t.Errorf("after %v: %s, details %v", took, f.Error(), f.Details)
	}
	ask(t, g, graph.ReadQuery{Query: "RETURN 1 AS one"})
	ended(t, g, running)
}

func TestQuery_CallerLeaves_QueryEnds(t *testing.T) {
	g := withMany(t)
	ctx, cancel := context.WithCancel(t.Context())
	left := make(chan error, 1)
	go func() {
		_, err := g.RunReadOnly(ctx, graph.ReadQuery{Query: endless, Timeout: 60})
		left <- err
	}()
	graphtest.Until(t, "the query runs", func() bool { return len(g.Rows(t, running, nil)) > 0 })
	began := time.Now()
	cancel()
	wantError(t, graphtest.Receive(t, "the call ends", left), apperr.Unavailable)
	if took := time.Since(began); took > timeout {
		t.Errorf("got an end %v after the caller left, want at most %v", took, timeout)
	}
	ask(t, g, graph.ReadQuery{Query: "RETURN 1 AS one"})
	ended(t, g, running)
}

// TestSupervisor_TransactionPastItsLimit_IsTerminated: the server's own timeout is minutes, so only the supervisor
// ends the query.
func TestSupervisor_TransactionPastItsLimit_IsTerminated(t *testing.T) {
	g := withMany(t)
	session := g.Driver.NewSession(t.Context(), neo4j.SessionConfig{DatabaseName: g.Endpoint.Database})
	defer func() { _ = session.Close(context.Background()) }()
	result, err := session.Run(t.Context(), endless, nil,
		neo4j.WithTxMetadata(map[string]any{"app": "nomograph", "limit_ms": 1}))
	if err == nil {
		_, err = result.Consume(t.Context())
	}
	if err == nil || !strings.Contains(err.Error(), "Transaction.Terminated") {
		t.Errorf("got %v, want a terminated transaction", err)
	}
}

func TestQuery_CallersDeadline_IsTimeout(t *testing.T) {
	g := withMany(t)
	ctx, cancel := context.WithTimeout(t.Context(), 500*time.Millisecond)
	defer cancel()
	_, err := g.RunReadOnly(ctx, graph.ReadQuery{Query: endless, Timeout: 30})
	wantError(t, err, apperr.QueryTimeout)
}

func TestRunReadOnly_Metadata_NamesTheOperation(t *testing.T) {
	g := withMany(t)
	ctx, cancel := context.WithCancel(graph.Operation(t.Context(), "run_cypher_readonly", "request-7"))
	done := make(chan struct{})
	go func() { defer close(done); _, _ = g.RunReadOnly(ctx, graph.ReadQuery{Query: endless, Timeout: 60}) }()
	defer func() { cancel(); <-done }()
	var seen []any
	for started := time.Now(); time.Since(started) < timeout; time.Sleep(20 * time.Millisecond) {
		for _, row := range g.Rows(t, running, nil) {
			about := row["metaData"].(map[string]any)
			if about["operation"] != "run_cypher_readonly" { // a query of the previous test may still be ending
				seen = append(seen, about)
				continue
			}
			if about["app"] != "nomograph" || about["request"] == "" || about["request"] == nil {
				t.Errorf("got %v, want app=nomograph, non-empty request, non-nil request", about)
			}
			return
		}
	}
	t.Errorf("no transaction of ours was seen, but %v", seen)
}

func TestRunReadOnly_ConcurrentCallers_GetTheirRows(t *testing.T) {
	g := withMany(t)
	var all sync.WaitGroup
	for caller := range 16 {
		all.Go(func() {
			for round := range 10 {
				a, err := g.RunReadOnly(t.Context(), graph.ReadQuery{Query: fmt.Sprintf("MATCH (n:Many) WHERE n.i <= $n RETURN n.i AS i, %d AS caller ORDER BY i", caller),
					Params: graph.Parameters{"n": int64(round + 1)}})
				if err != nil || a.RowCount != round+1 || a.Rows[round][0] != int64(round+1) ||
					a.Rows[0][1] != int64(caller) {
					t.Errorf("caller %d, turn %d: %v, %v", caller, round, a, err)
				}
			}
		})
	}
	all.Wait()
}

func TestQuery_SyntaxError_NamesPosition(t *testing.T) {
	g := graphtest.New(t)
	for _, c := range golden.Cases(t, "testdata/errors.txt") {
		t.Run(c.Name, func(t *testing.T) {
			query, params := strings.ReplaceAll(c.Text, `\r`, "\r"), graph.Parameters{}
			if strings.Contains(query, "$n") {
				params["n"] = int64(0)
			}
			message, place, _ := strings.Cut(c.Want, "; ")
			_, err := g.RunReadOnly(t.Context(), graph.ReadQuery{Query: query, Params: params})
			f := wantError(t, err, apperr.QueryFailed)
			if !strings.Contains(f.Message, message) || f.Hint == "" || strings.Contains(f.Message, "offset") {
				t.Errorf("message %q", f.Message)
			}
			at := fmt.Sprintf("(line %v, column %v)", f.Details["line"], f.Details["column"])
			if place != "" && (at != place || !strings.HasSuffix(f.Message, place)) {
				t.Errorf("%q, details %v; want %s", f.Message, f.Details, place)
			}
		})
	}
}

func TestRunReadOnly_Explain_GivesAPlan(t *testing.T) {
	g := withMany(t)
	for name, q := range map[string]graph.ReadQuery{
		"explain":             {Query: endless, Explain: true},
		"EXPLAIN":             {Query: "EXPLAIN " + endless},
		"both":                {Query: "EXPLAIN " + endless, Explain: true},
		"explain wins":        {Query: "PROFILE " + endless, Explain: true},
		"after a comment":     {Query: "/* plan it */ explain " + endless},
		"of a known query":    {Query: "MATCH (n:Many) RETURN n", Explain: true},
		"of a SHOW":           {Query: "SHOW INDEXES", Explain: true},
		"the server's labels": {Query: "CALL db.labels()", Explain: true},
	} {
		t.Run(name, func(t *testing.T) {
			began := time.Now()
			a := ask(t, g, q)
			if a.Plan == nil || a.Plan.Operator == "" || strings.Contains(a.Plan.Operator, "@") || len(a.Rows) != 0 ||
				time.Since(began) > timeout {
				t.Fatalf(`got %+v, want non-nil Plan, non-empty Operator, Operator without "@", len(Rows)=0, time.Since(began) at most %v`, a, timeout)
			}
			if a.Plan.DBHits != nil {
				t.Error("the query was run")
			}
			golden.Contains(t, "the schema", asJSON(t, a), `"columns":[],"rows":[]`)
		})
	}
	for name, q := range map[string]graph.ReadQuery{
		"PROFILE":             {Query: "PROFILE MATCH (n:Many) WHERE n.i < 100 RETURN n.i AS i"},
		"PROFILE, rows cut":   {Query: "PROFILE MATCH (n:Many) RETURN n.i AS i", Limit: 99},
		"PROFILE in lower":    {Query: "\n profile MATCH (n:Many) WHERE n.i < 100 RETURN n.i AS i"},
		"PROFILE and a limit": {Query: "CYPHER 5 PROFILE MATCH (n:Many) RETURN n.i AS i LIMIT 99"},
	} {
		t.Run(name, func(t *testing.T) {
			a := ask(t, g, q)
			if a.RowCount != 99 || a.Plan == nil || a.Plan.Rows == nil || a.Plan.DBHits == nil || total(*a.Plan) == 0 {
				t.Errorf("%d rows, plan %+v", a.RowCount, a.Plan)
			}
		})
	}
	t.Run("a plan is returned only on request", func(t *testing.T) {
		if a := ask(t, g, graph.ReadQuery{Query: "MATCH (n:Many) RETURN n.i AS i LIMIT 1"}); a.Plan != nil {
			t.Errorf("got %+v, want nil", a.Plan)
		}
	})
}

func total(p graph.Plan) int64 {
	sum := *p.DBHits
	for _, child := range p.Children {
		sum += total(child)
	}
	return sum
}

// running lists the transactions that the server runs for callers of Ask.
const running = "SHOW TRANSACTIONS YIELD metaData, currentQuery WHERE metaData.app = 'nomograph' AND metaData.statement = 'query of a caller' RETURN metaData, currentQuery"
