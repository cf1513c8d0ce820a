package engine

import (
	"context"
	"errors"
	"os"
	"sync"
	"time"

	"github.com/gofrs/flock"

	"nomograph/graph/engine/files"
	"nomograph/internal/apperr"
	"nomograph/internal/progress"
)

// Endpoint is the address and password for a Bolt driver.
type Endpoint struct {
	URI, Username, Password, Database, Version string
}

// Lease prevents the engine from stopping while this process holds it. The operating system releases it when the
// process ends.
type Lease struct {
	o    Options
	lock *flock.Flock

	mu       sync.Mutex
	endpoint Endpoint
}

const (
	leasePollInterval = 25 * time.Millisecond
	userName          = "neo4j"
	database          = "neo4j"
	timeout           = 100 * time.Millisecond // shorter waits are not reported
	maxSpawns         = 3
)

// Acquire takes a lease, starts the engine if needed and waits until it answers. It reports progress to the listener of
// ctx. With a running engine it takes well under a millisecond and opens no connection. It returns an *apperr.Error:
// unavailable if the engine cannot be started or ctx ends first, validation_error for invalid options.
func Acquire(ctx context.Context, o Options) (*Lease, error) {
	o = o.Defaults()
	if err := o.validate(); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(o.Dir, 0o700); err != nil {
		return nil, files.Unwritable(o.Dir, err)
	}
	l := &Lease{o: o, lock: o.lock(leasesLock)}
	if err := l.takeLock(ctx); err != nil {
		return nil, err
	}
	if err := l.await(ctx); err != nil {
		_ = l.Release()
		return nil, err
	}
	return l, nil
}

// Endpoint returns the engine's address at the last wait.
func (l *Lease) Endpoint() Endpoint {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.endpoint
}

// Revive is for callers that lost their connection. It waits until the engine answers again, starting it if needed, and
// returns the endpoint, which may have changed. It returns the errors of Acquire.
func (l *Lease) Revive(ctx context.Context) (Endpoint, error) {
	for {
		if err := l.await(ctx); err != nil {
			return Endpoint{}, err
		}
		// The supervisor may not have noticed the loss yet.
		endpoint := l.Endpoint()
		if speaksBolt(ctx, endpoint.URI) {
			return endpoint, nil
		}
		if err := sleep(ctx, leasePollInterval); err != nil {
			return Endpoint{}, l.notReady(progress.Step{Message: "The engine does not answer"}, err)
		}
	}
}

// Answers reports whether an engine still runs at the endpoint, as far as its supervisor knows. It makes no request.
func (l *Lease) Answers() bool {
	now := readRecord(l.o)
	return now.answers() && uri(now.Port) == l.Endpoint().URI
}

// Release releases the lease. The engine stops when no lease has been held for Options.Idle.
func (l *Lease) Release() error {
	l.touch()
	return l.lock.Close()
}

// touch stores the time of the last use. The supervisor checks the lock only twice a second and would miss a
// short-lived client.
func (l *Lease) touch() {
	now := time.Now()
	_ = os.Chtimes(l.lock.Path(), now, now)
}

// takeLock gets the shared lock. It fails for a moment whenever the supervisor checks for leases, and while an idle
// engine stops.
func (l *Lease) takeLock(ctx context.Context) error {
	started, reported := time.Now(), false
	for {
		locked, err := l.lock.TryRLock()
		if err != nil {
			return files.Unwritable(l.lock.Path(), err)
		}
		if locked {
			l.touch()
			return nil
		}
		step := progress.Step{Message: "The engine is stopping; waiting to start it again"}
		if !reported && time.Since(started) > timeout {
			progress.Report(ctx, step)
			reported = true
		}
		if err := sleep(ctx, 2*time.Millisecond); err != nil {
			return l.notReady(step, err)
		}
	}
}

// await waits until state.json says running and its supervisor is alive. It starts a supervisor if there is none.
func (l *Lease) await(ctx context.Context) error {
	var (
		reported progress.Step
		child    *spawned
		spawns   int
		old      string // run of an earlier failure, which is not an error of this call
		lastHeld = time.Now()
	)
	if before := readRecord(l.o); before.State == Failed {
		old = before.Run
	}
	for {
		held, err := l.o.isHeld(supervisorLock)
		if err != nil {
			return err
		}
		now := readRecord(l.o)
		step := now.step()
		switch {
		case held && now.answers():
			return l.found(now)
		case now.State == Failed && now.Run != old && now.Error != nil:
			return now.Error
		case held:
			lastHeld = time.Now()
			if now.State == Stopping {
				step = progress.Step{Message: "The engine is stopping; waiting to start it again"}
			}
		case child.lives():
			step = progress.Step{Message: "Starting the engine"}
		case l.underMaintenance():
			step = progress.Step{Message: "Waiting for a backup or a restore"}
		case spawns >= maxSpawns && time.Since(lastHeld) > timeout:
			return apperr.New(apperr.Unavailable, "The engine's supervisor stopped before the engine was ready").
				WithHint("See %s", l.o.path("logs", "supervisor.log"))
		case ctx.Err() != nil: // do not start what nobody waits for
		default:
			if child, err = spawn(l.o); err != nil {
				return err
			}
			spawns++
			continue
		}
		if step.Message != "" && step != reported {
			progress.Report(ctx, step)
			reported = step
		}
		if err := sleep(ctx, leasePollInterval); err != nil {
			return l.notReady(step, err)
		}
	}
}

func (l *Lease) underMaintenance() bool {
	held, err := l.o.isHeld(maintenanceLock)
	return err == nil && held
}

func (l *Lease) found(now record) error {
	password, err := readPassword(l.o)
	if err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.endpoint = Endpoint{URI: uri(now.Port), Username: userName, Password: password, Database: database,
		Version: now.Version}
	return nil
}

func (l *Lease) notReady(step progress.Step, err error) error {
	f := apperr.New(apperr.Unavailable, "The engine is not ready yet").WithHint("Try again in a moment").Because(err)
	if errors.Is(err, context.Canceled) {
		f = apperr.New(apperr.Unavailable, "Waiting for the engine was canceled").
			WithHint("Call again if you still need the answer").Because(err)
	}
	if step.Message == "" {
		return f.WithHint("Try again in a moment")
	}
	return f.WithHint("Last step: %s. Try again in a moment", step.Message)
}

func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}
