package engine

import (
	"context"
	"time"

	"nomograph/internal/apperr"
)

// queriesLock is held by the only large query that runs. Half of the heap is for its values.
const (
	queriesLock      = "queries.lock"
	turnPollInterval = 10 * time.Millisecond
)

// TakeTurn waits until no other large query of this user runs, and keeps others waiting until leave. The operating
// system releases the turn of a killed process. It returns unavailable if ctx ends first.
func (l *Lease) TakeTurn(ctx context.Context) (leave func(), err error) {
	lock := l.o.lock(queriesLock)
	if _, err := lock.TryLockContext(ctx, turnPollInterval); err != nil {
		_ = lock.Close()
		if ctx.Err() != nil {
			return nil, Busy(ctx)
		}
		return nil, apperr.New(apperr.Unavailable, "Cannot lock the slot for large queries").
			WithHint("Check that the engine's folder is writable; `nomograph engine path` shows it").Because(err)
	}
	return func() { _ = lock.Close() }, nil
}

// Busy returns the error of a large query whose time ended before its turn.
func Busy(ctx context.Context) error {
	return apperr.New(apperr.Unavailable, "Other large queries use the available memory").
		WithHint("Try again later, or return less: UNWIND with LIMIT instead of one large value").
		Because(context.Cause(ctx))
}
