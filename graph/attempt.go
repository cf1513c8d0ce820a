package graph

import (
	"context"
	"errors"
	"time"

	"nomograph/internal/retry"
)

// onConnection calls f with the current connection, and again after an error for which again is true, with a new connection if that one
// was lost. Other errors and the last one are returned as *apperr.Error, with the error of ctx if that has ended: the driver does not
// always say that this was why.
func (db *DB) onConnection(ctx context.Context, attempts int, again func(error) bool, f func(*connection) error) error {
	leave, err := db.enter(ctx)
	if err != nil {
		return err
	}
	defer leave()
	// Deadlocks end soon, and a lost connection is replaced immediately.
	return retry.Run(ctx, retry.Policy{Attempts: attempts, First: 5 * time.Millisecond, Max: 25 * time.Millisecond}, func() error {
		c, err := db.connection(ctx)
		if err != nil {
			return retry.Stop(err)
		}
		if err = f(c); err == nil {
			return nil
		}
		if connectivity(err) {
			db.connectionLosses(c)
		}
		passes := ctx.Err() == nil && again(err)
		if err = AsError(errors.Join(ctx.Err(), err)); !passes {
			err = retry.Stop(err)
		}
		return err
	})
}
