package check_test

import (
	"fmt"
	"testing"

	"github.com/neo4j/neo4j-go-driver/v5/neo4j"

	"nomograph/cypher"
	"nomograph/graph"
	"nomograph/graph/graphtest"
	"nomograph/internal/golden"
)

// TestVerdictsRecord_StoredByAnOpenTransaction_IsStoredOnce: a check whose answer was lost is stored again while the
// first transaction may still be open.
func TestVerdictsRecord_StoredByAnOpenTransaction_IsStoredOnce(t *testing.T) {
	g := graphtest.New(t)
	verdict := func(uid string) any {
		return map[string]any{"properties": map[string]any{"uid": uid, "allowed": false},
			"objections": []any{map[string]any{"version": "v", "result": "violated"}}}
	}
	g.Exec(t, "CREATE (:SYS_Version {hash: 'v', of: 'SYS_Policy'})", nil)
	session := g.Driver.NewSession(t.Context(), neo4j.SessionConfig{DatabaseName: g.Endpoint.Database})
	defer func() { _ = session.Close(t.Context()) }()
	tx := graphtest.Must(session.BeginTransaction(t.Context()))(t)
	if open, err := tx.Run(t.Context(), cypher.VerdictsRecord.Text(),
		map[string]any{"verdicts": []any{verdict("same")}}); err != nil {
		t.Fatal(err)
	} else if _, err := open.Consume(t.Context()); err != nil {
		t.Fatal(err)
	}
	again := make(chan error, 1)
	go func() {
		_, err := graph.Append[struct{}](t.Context(), g.DB, cypher.VerdictsRecord,
			graph.Params{"verdicts": []any{verdict("same"), verdict("other")}})
		again <- err
	}()
	graphtest.Until(t, "the second write waits", func() bool {
		return len(g.Rows(t, "SHOW TRANSACTIONS YIELD status WHERE status STARTS WITH 'Blocked' RETURN status",
			nil)) > 0
	})
	graphtest.OK(t, tx.Commit(t.Context()))
	graphtest.OK(t, graphtest.Receive(t, "the second write ends", again))
	for _, uid := range []string{"same", "other"} {
		golden.Equal[any](t, fmt.Sprint(uid, ": violated rules"),
			g.Rows(t, "MATCH (:Verdict {uid: $uid})-[r:APPLIED]->() RETURN count(r) AS n",
				map[string]any{"uid": uid})[0]["n"], int64(1))
	}
}
