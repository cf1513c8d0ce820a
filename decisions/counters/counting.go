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
	db    *graph.DB
	limit int // maximum decisions of the next transaction
}

func newCounter(db *graph.DB) *counter {
	c := &counter{db: db, limit: firstBatch}
	c.Worker = worker.New(c.countBatch)
	c.WaitUntilIdle = db.WaitUntilIdle
	return c
}

// countBatch counts what fits into a transaction, and reports whether there may be more.
func (c *counter) countBatch(ctx context.Context) (more bool, err error) {
	next, err := c.aggregate(graph.InBackground(ctx), c.limit)
	c.limit = max(next, firstBatch)
	return next > 0, err
}

// Drain counts all marked decisions now. It returns unavailable if the database does not answer.
func (c *counter) Drain(ctx context.Context) error { return graph.AsError(c.Worker.Drain(ctx)) }

// Wake starts counting in the background, for example of decisions that another process marked before it stopped.
func (s *Store) Wake() { s.counter.Wake() }

// Close finishes the background counting.
func (s *Store) Close(ctx context.Context) { s.counter.Close(ctx) }
