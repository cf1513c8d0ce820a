package graph_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"nomograph/graph"
	"nomograph/graph/graphtest"
	"nomograph/internal/apperr"
	"nomograph/internal/golden"
	"nomograph/tools/toolstest"
)

// TestWrite_CallerStopsPastTheDeadline_FreesItsLocks simulates a process that was stopped in the middle of a
// transaction.
func TestWrite_CallerStopsPastTheDeadline_FreesItsLocks(t *testing.T) {
	if testing.Short() {
		t.Skip("runs in make test-all")
	}
	g := graphtest.New(t)
	g.Exec(t, "CREATE (:Locked)", nil)
	short, cancel := context.WithTimeout(t.Context(), 5*time.Second) // a new engine plans the statement first
	defer cancel()
	locked, others := make(chan struct{}), make(chan error, 1)
	go func() {
		<-locked
		others <- g.Write(t.Context(), func(tx *graph.Tx) error {
			return tx.Run(t.Context(), writing("MATCH (n:Locked) SET n.by = 'other'"), nil)
		})
	}()
	err := g.Write(short, func(tx *graph.Tx) error {
		if err := tx.Run(short, writing("MATCH (n:Locked) SET n.by = 'stopped'"), nil); err != nil {
			return err
		}
		close(locked)
		return graphtest.Receive(t, "the other transaction ends", others)
	})
	toolstest.ErrorWithCode(t, err, apperr.QueryTimeout)
	golden.Equal(t, "the writer", g.Rows(t, "MATCH (n:Locked) RETURN n.by AS by", nil)[0]["by"], "other")
}

// TestWrite_Deadlock_RunsAgainWithoutTheDriversPause: the driver waits 0.8 to 1.2 s before it retries a transaction.
// On a busy machine a transaction can wait as long for the processor, so the shortest of ten pauses counts.
func TestWrite_Deadlock_RunsAgainWithoutTheDriversPause(t *testing.T) {
	g := graphtest.New(t)
	g.Exec(t, "CREATE (:Locked {name: 'a'}), (:Locked {name: 'b'})", nil)
	const limit = 600 * time.Millisecond
	pause, rounds := time.Hour, int64(0)
	for ; rounds < 10 && pause > limit; rounds++ {
		attempts, waited := deadlock(t, g)
		if attempts < 3 {
			t.Errorf("got %d attempts, want one more than the two transactions", attempts)
		}
		pause = min(pause, waited)
	}
	if pause > limit {
		t.Errorf("got a pause of %v or more before the transaction ran again", pause)
	}
	for _, row := range g.Rows(t, "MATCH (n:Locked) RETURN n.name AS name, n.locks AS locks", nil) {
		golden.Equal[any](t, fmt.Sprint("writes of ", row, " in ", rounds, " rounds"), row["locks"], 2*rounds)
	}
}

// deadlock runs two transactions that lock two nodes in opposite order. It returns the number of attempts and the
// pause before the last attempt.
func deadlock(t *testing.T, g *graphtest.Graph) (attempts int64, pause time.Duration) {
	t.Helper()
	lock := writing("MATCH (n:Locked {name: $name}) SET n.locks = coalesce(n.locks, 0) + 1")
	var both sync.WaitGroup // both transactions wait here until each has its first lock
	both.Add(2)
	var tried, waited atomic.Int64
	write := func(first, second string) error {
		var failed time.Time
		rendezvous := sync.OnceFunc(func() { both.Done(); both.Wait() })
		return g.Write(t.Context(), func(tx *graph.Tx) error {
			tried.Add(1)
			if !failed.IsZero() {
				waited.Store(int64(time.Since(failed)))
			}
			if err := tx.Run(t.Context(), lock, graph.Params{"name": first}); err != nil {
				return err
			}
			rendezvous()
			err := tx.Run(t.Context(), lock, graph.Params{"name": second})
			failed = time.Now()
			return err
		})
	}
	other := make(chan error, 1)
	go func() { other <- write("b", "a") }()
	graphtest.OK(t, errors.Join(write("a", "b"), graphtest.Receive(t, "the other transaction ends", other)))
	return tried.Load(), time.Duration(waited.Load())
}
