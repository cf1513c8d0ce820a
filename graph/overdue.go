package graph

import (
	"context"
	"time"

	"nomograph/cypher"
	"nomograph/internal/apperr"
)

const statusTimeout = 3 * time.Second // timeout for reading the state of a query

type transaction struct{ ID, Status string }

// overdue returns the error for a query that the server has not ended in time. The server knows the time limit; if it
// does not obey, the supervisor of the managed engine restarts it.
func (r queryRun) overdue(ctx context.Context) error {
	f := apperr.Newf(apperr.QueryTimeout, "The query took longer than %s", r.timeout.Round(time.Millisecond)).
		WithHint("Match on an indexed property, bound lists and paths, or add LIMIT")
	look, cancel := context.WithTimeout(context.WithoutCancel(ctx), statusTimeout)
	defer cancel()
	running, err := r.running(look)
	switch {
	case err != nil:
		f.Message += ", and the server does not say whether it still runs"
		f.With("ended", "unknown")
	case len(running) == 0:
		f.Message += "; the server has ended it"
		f.With("ended", true)
	default:
		f.Message += ", and the server has not managed to end it yet"
		f.With("ended", false).With("transaction", running[0].ID)
		if r.db.Managed() {
			f.Message += "; the engine's supervisor restarts it if the query continues"
		}
	}
	return f
}

func (r queryRun) running(ctx context.Context) ([]transaction, error) {
	return All[transaction](ctx, r.db, cypher.TransactionsOfRequest, Params{"request": r.request})
}
