package graph

import (
	"context"
	"time"
)

// The guard estimates the size of a query's values. The server's own measures do not see the values within one
// expression.
const (
	minReservedValues = 40_000 // values: a smaller query needs no reservation
	bytesOfValue      = 64     // measured: 4,500,000 integers in lists take about 280 MB until they are sent
)

// reserveMemory reserves memory for the values of a large query, besides running ones, until leave. On the managed
// engine all processes of the user share it; for another server this process limits itself.
func (r *queryRun) reserveMemory(ctx context.Context) (leave func(), err error) {
	if r.parsed.Volume <= minReservedValues {
		return func() {}, nil
	}
	began := time.Now()
	wait, cancel := context.WithTimeout(ctx, r.timeout)
	defer cancel()
	bytes := r.parsed.Volume * bytesOfValue
	if r.db.lease != nil {
		leave, err = r.db.lease.ReserveMemory(wait, bytes)
	} else {
		leave, err = r.db.reservations.ReserveMemory(wait, bytes)
	}
	r.timeout = max(r.timeout-time.Since(began), time.Second)
	return leave, err
}
