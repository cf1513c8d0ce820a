package counters

import (
	"context"

	"nomograph/graph"
	"nomograph/internal/worker"
)

// counter updates the cells of calibration. Every transaction that changes a decision marks it Uncounted, so nothing is
// lost when a process ends before counting: the next one finds the marks. It is safe for concurrent use, also by
// several processes on one graph. It is idle while nothing changes.
type counter struct {
	*worker.Worker
	db *graph.DB
}

func newCounter(db *graph.DB) *counter {
	c := &counter{db: db}
	c.Worker = worker.New(c.aggregate)
	c.WaitUntilIdle = db.WaitUntilIdle
	return c
}

// Drain counts all marked decisions now. It returns unavailable if the database does not answer.
func (c *counter) Drain(ctx context.Context) error { return graph.AsError(c.Worker.Drain(ctx)) }

// Wake starts counting in the background, for example of decisions that another process marked before it stopped.
func (s *Store) Wake() { s.counter.Wake() }

// Close finishes the background counting.
func (s *Store) Close(ctx context.Context) { s.counter.Close(ctx) }
