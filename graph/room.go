package graph

import (
	"context"
	"time"
)

// A query's values are estimated by the guard. These are not the server's own measures, which do not see what one expression
// makes.
const (
	smallVolume  = 40_000 // values: a query of fewer needs no room of its own
	bytesOfValue = 64     // measured: 4,500,000 whole numbers in lists take about 280 MB until they are sent
)

// room waits until the server has memory for the values of a large query beside those that run, and takes it until leave. On the
// managed engine all processes of the user take turns; with a server of somebody else's this process bounds itself.
func (r *queryRun) room(ctx context.Context) (leave func(), err error) {
	if r.parsed.Volume <= smallVolume {
		return func() {}, nil
	}
	began := time.Now()
	wait, cancel := context.WithTimeout(ctx, r.patience)
	defer cancel()
	bytes := r.parsed.Volume * bytesOfValue
	if r.db.lease != nil {
		leave, err = r.db.lease.Room(wait, bytes)
	} else {
		leave, err = r.db.rooms.Room(wait, bytes)
	}
	r.patience = max(r.patience-time.Since(began), time.Second)
	return leave, err
}
