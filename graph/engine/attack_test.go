//go:build unix

package engine_test

import (
	"context"
	"os"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/neo4j/neo4j-go-driver/v5/neo4j"

	"nomograph/graph/engine"
	"nomograph/graph/graphtest"
	"nomograph/internal/golden"
)

// burning is an expression that the server cannot interrupt and that takes hours. The guard refuses it, but a client
// with the password can send it.
const burning = "RETURN reduce(s = '', i IN range(1, 5000) | s + 'abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyzabcdefgh') =~ '.*.*.*.*X'"

// TestEngine_Attacked_AnswersWithAllData repeats attacks that once made an engine use a core forever, or accept
// connections without answering. After each attack, an engine answers with all committed data.
func TestEngine_Attacked_AnswersWithAllData(t *testing.T) {
	t.Parallel()
	o := setup(t)
	lease := acquire(t, o)
	must(t, lease.Endpoint(), "UNWIND range(1, 1000) AS i CREATE (:Kept {i: i})")

	survives := func(name, output string, attack func(t *testing.T, e engine.Endpoint, pid int)) {
		t.Run(name, func(t *testing.T) {
			awaitLog(t, o, func(log string) bool {
				return strings.Count(log, "the engine is watched") > strings.Count(log, "restarting it")
			})
			before := inspect(t, o).PID
			attack(t, lease.Endpoint(), before)
			began := time.Now()
			for inspect(t, o).PID == before || inspect(t, o).State != engine.Running {
				if time.Since(began) > 5*time.Minute {
					t.Fatalf("the engine did not restart: %+v", inspect(t, o))
				}
				time.Sleep(20 * time.Millisecond)
			}
			e := graphtest.Must(lease.Revive(within(t, 3*time.Minute)))(t)
			t.Logf("another engine after %s", time.Since(began).Round(10*time.Millisecond))
			golden.Equal[any](t, "nodes", must(t, e, "MATCH (n:Kept) RETURN count(n)"), int64(1000))
			if log, _ := os.ReadFile(o.Dir + "/logs/supervisor.log"); !strings.Contains(string(log), output) {
				t.Errorf("the log does not say %q", output)
			}
		})
	}

	survives("a query that outlives its caller", "ran a query that could not be ended",
		func(t *testing.T, e engine.Endpoint, _ int) {
			// waits for its client, so the supervisor must not restart the engine
			leave(t, e, "UNWIND range(1, 1000000) AS i RETURN i")
			leave(t, e, burning)
		})
	survives("silence", "did not answer for", func(t *testing.T, _ engine.Endpoint, pid int) {
		p, _ := os.FindProcess(pid)
		if err := p.Signal(syscall.SIGSTOP); err != nil {
			t.Skip(err)
		}
	})
	survives("no memory", "engine stopped unexpectedly", func(t *testing.T, e engine.Endpoint, _ int) {
		var all sync.WaitGroup
		for range 6 {
			all.Go(func() {
				_, _ = query(t, e, "WITH [x IN range(1, 100000) | [y IN range(1, 45) | x * y]] AS l RETURN l")
			})
		}
		all.Wait()
	})
}

// leave runs a query with a timeout of a second and disconnects before reading all rows.
func leave(t *testing.T, e engine.Endpoint, cypher string) {
	t.Helper()
	driver := graphtest.Must(neo4j.NewDriverWithContext(e.URI, neo4j.BasicAuth(e.Username, e.Password, "")))(t)
	if err := driver.VerifyConnectivity(t.Context()); err != nil { // connect first, so that the measured time is the query's alone
		t.Fatal(err)
	}
	session := driver.NewSession(context.Background(), neo4j.SessionConfig{FetchSize: 1})
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Second)
	defer cancel()
	_, _ = session.Run(ctx, cypher, nil, neo4j.WithTxTimeout(time.Second),
		neo4j.WithTxMetadata(map[string]any{"app": "nomograph", "statement": "attack", "limit_ms": 1000}))
}
