package engine

import (
	"context"
	"time"

	"nomograph/graph/engine/files"

	"github.com/gofrs/flock"
)

const (
	leasesLock      = "leases.lock"
	supervisorLock  = "supervisor.lock"
	maintenanceLock = "maintenance.lock"
)

func (o Options) lock(name string) *flock.Flock {
	return flock.New(o.path(name), flock.SetPermissions(0o600))
}

// isHeld reports whether another process holds the lock exclusively. The test takes the lock shared for a moment, so
// exclusive lockers must retry; see takeFor.
func (o Options) isHeld(name string) (bool, error) {
	lock := o.lock(name)
	free, err := lock.TryRLock()
	if err != nil {
		return false, files.Unwritable(o.path(name), err)
	}
	if free {
		_ = lock.Unlock()
	}
	return !free, nil
}

// takeFor retries an exclusive lock until timeout. It returns false if another process really holds it.
func takeFor(ctx context.Context, lock *flock.Flock, limit time.Duration) (bool, error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	locked, err := lock.TryLockContext(ctx, 7*time.Millisecond)
	if ctx.Err() != nil && !locked {
		return false, nil
	}
	if err != nil {
		return false, files.Unwritable(lock.Path(), err)
	}
	return locked, nil
}
