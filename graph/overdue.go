package graph

import (
	"context"
	"time"

	"nomograph/cypher"
	"nomograph/fault"
	"nomograph/graph/engine"
)

const (
	lookTime    = 3 * time.Second  // to learn what became of a query
	lastResort  = 15 * time.Second // what a query that was told to end gets before the managed engine is restarted
	lookAgainIn = time.Second
)

type transaction struct{ ID, Status string }

// overdue says what is known of a query that the server has not ended in time, and has it ended: by the server, and as a
// last resort, on the managed engine only, by a restart.
func (r reading) overdue(ctx context.Context) error {
	f := fault.Newf(fault.QueryTimeout, "The query did not end within %s", r.patience).WithHint("Narrow it: match on an indexed property, bound lists and paths, or add LIMIT")
	look, cancel := context.WithTimeout(context.WithoutCancel(ctx), lookTime)
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
			f.Message += "; the engine is restarted if it goes on"
		}
		r.db.background.Go(func() { r.end(running) })
	}
	return f
}

func (r reading) running(ctx context.Context) ([]transaction, error) {
	return All[transaction](ctx, r.db, cypher.TransactionsOfRequest, Params{"request": r.request})
}

// end terminates a transaction, and looks whether it went.
func (r reading) end(running []transaction) {
	ctx, cancel := context.WithTimeout(r.db.life, lastResort+lookTime)
	defer cancel()
	for _, t := range running {
		if _, err := r.c.run(ctx, cypher.TransactionTerminate, Params{"id": t.ID}); err != nil {
			r.db.options.Log.Warn().Err(err).Str("transaction", t.ID).Msg("a query that is out of time cannot be terminated")
		}
	}
	for deadline := time.Now().Add(lastResort); time.Now().Before(deadline); {
		select {
		case <-ctx.Done():
			return
		case <-time.After(lookAgainIn):
		}
		if running, err := r.running(ctx); err == nil && len(running) == 0 {
			return
		}
	}
	if !r.db.Managed() {
		r.db.options.Log.Error().Str("request", r.request).Msg("a query goes on though it was terminated: ask the server's administrator")
		return
	}
	r.db.options.Log.Error().Str("request", r.request).Msg("a query goes on though it was terminated: restarting the engine")
	if err := engine.Stop(r.db.life, r.db.options.Engine); err != nil {
		r.db.options.Log.Error().Err(err).Msg("the engine did not stop")
	}
}
