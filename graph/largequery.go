package graph

import (
	"context"
	"time"

	"nomograph/graph/engine"
)

// minLargeQuery is the number of values from which on a query waits for its turn. The guard estimates them, because the
// server's own measures do not see the values within one expression: 4,500,000 integers in lists take about 280 MB
// until they are sent.
const minLargeQuery = 40_000

// takeTurn waits until no other large query runs, and keeps others waiting until leave. On the managed engine all
// processes of the user take turns; for another server those of this process do.
func (r *queryRun) takeTurn(ctx context.Context) (leave func(), err error) {
	if r.parsed.Volume <= minLargeQuery {
		return func() {}, nil
	}
	began := time.Now()
	ctx, cancel := context.WithTimeout(ctx, r.timeout)
	defer cancel()
	defer func() { r.timeout = max(r.timeout-time.Since(began), time.Second) }()
	if r.db.lease != nil {
		return r.db.lease.TakeTurn(ctx)
	}
	select {
	case r.db.large <- struct{}{}:
		return func() { <-r.db.large }, nil
	case <-ctx.Done():
		return nil, engine.Busy(ctx)
	}
}
