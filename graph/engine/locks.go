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

// held tells whether somebody holds the lock exclusively. Asking takes it shared for a moment, so whoever wants it
// exclusively must ask for a little while: see takeFor.
func (o Options) held(name string) (bool, error) {
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

// takeFor asks for an exclusive lock until it is had or the time is over. False: somebody really holds it.
func takeFor(ctx context.Context, lock *flock.Flock, patience time.Duration) (bool, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	taken, err := lock.TryLockContext(ctx, 7*time.Millisecond)
	if ctx.Err() != nil && !taken {
		return false, nil
	}
	if err != nil {
		return false, files.Unwritable(lock.Path(), err)
	}
	return taken, nil
}
