package counters

import (
	"context"

	"nomograph/graph"
	"nomograph/internal/worker"
)

// counter keeps the cells of calibration up to date with the decisions of one graph. Whatever changes a decision marks it
// Uncounted in its own transaction, so nothing is lost where a process ends before it has counted: the next one to count
// finds the marks. It is safe for concurrent use, also by several processes on one graph. Nothing runs while nothing changes.
type counter struct {
	*worker.Worker
	db    *graph.DB
	limit int // decisions of the next transaction; of who has the turn
}

func newCounter(db *graph.DB) *counter {
	c := &counter{db: db, limit: foldedFirst}
	c.Worker = worker.New(c.once)
	c.WaitUntilIdle = db.WaitUntilIdle
	return c
}

// once counts what fits into a transaction, and tells whether there may be more.
func (c *counter) once(ctx context.Context) (more bool, err error) {
	next, err := c.fold(graph.InBackground(ctx), c.limit)
	c.limit = max(next, foldedFirst)
	return next > 0, err
}

// Drain counts all decisions that are marked, now. It returns an unavailable fault where the database does not answer.
func (c *counter) Drain(ctx context.Context) error { return graph.AsError(c.Worker.Drain(ctx)) }

// Wake has what changed counted in the background, such as what another process marked before it was stopped.
func (s *Store) Wake() { s.counter.Wake() }

// Close finishes what the store counts behind answers.
func (s *Store) Close(ctx context.Context) { s.counter.Close(ctx) }
