package engine

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/gofrs/flock"
	"github.com/rs/zerolog"

	"nomograph/graph/engine/files"
	"nomograph/graph/engine/process"
	"nomograph/internal/apperr"
	"nomograph/internal/progress"
)

const (
	// how long a supervisor retries its lock, because clients hold it for a moment when they check
	startRaceTime = 300 * time.Millisecond
	watchInterval = 500 * time.Millisecond
	maxRestarts   = 3
	crashWindow   = 10 * time.Minute // restarts are counted again after this time without a crash
)

var errStopAsked = errors.New("asked to stop")

// supervisor owns the engine while it holds supervisor.lock.
type supervisor struct {
	o       Options
	log     zerolog.Logger
	journal *journal
	leases  *flock.Flock
}

// Supervise provisions and starts the engine and restarts it after a crash. It stops the engine when no lease has been
// held for Options.Idle, when Stop requests it, when ctx ends, or on SIGTERM or SIGINT. It returns nil immediately if
// another supervisor exists. Its error, an *apperr.Error, is also stored in state.json for waiting clients.
func Supervise(ctx context.Context, o Options) error {
	o = o.Defaults()
	if err := o.validate(); err != nil {
		return err
	}
	if err := o.folders(); err != nil {
		return err
	}
	ctx, release := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer release()

	lock, err := becomeSupervisor(ctx, o)
	if lock == nil {
		return err
	}
	s := &supervisor{
		o: o, journal: newJournal(o, Starting), leases: o.lock(leasesLock),
		log: zerolog.New(os.Stderr).With().Timestamp().Int("supervisor", os.Getpid()).Logger(),
	}
	// Order matters: a client that gets the lease lock must find the supervisor lock free.
	defer s.leases.Close()
	defer lock.Close()
	return s.live(ctx)
}

// becomeSupervisor takes supervisor.lock. It returns nil if another supervisor or a backup holds it.
func becomeSupervisor(ctx context.Context, o Options) (*flock.Flock, error) {
	maintenance := o.lock(maintenanceLock)
	defer maintenance.Close()
	if clear, err := maintenance.TryRLock(); err != nil {
		return nil, files.Unwritable(maintenance.Path(), err)
	} else if !clear {
		return nil, nil
	}
	lock := o.lock(supervisorLock)
	locked, err := takeFor(ctx, lock, startRaceTime)
	if err != nil || !locked {
		_ = lock.Close()
		return nil, err
	}
	return lock, nil
}

// live runs the supervisor after it has the lock. Its first and last actions write state.json.
func (s *supervisor) live(ctx context.Context) error {
	orphan := s.journal.record().Engine
	if err := s.journal.update(func(*record) {}); err != nil {
		return err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	_ = os.Remove(stopFile(s.o))
	go s.awaitStop(ctx, cancel)

	err := s.run(progress.Listen(ctx, s.journal.report), orphan)
	if ctx.Err() != nil {
		err = nil // stopping as requested is not an error
	}
	_ = os.Remove(stopFile(s.o))
	end := func(r *record) { r.State, r.Engine, r.Message, r.Done, r.Total = Stopped, process.ID{}, "", 0, 0 }
	if err != nil {
		f := apperr.From(err)
		s.log.Error().Str("id", f.ID).AnErr("cause", f.Unwrap()).Msg(f.Error())
		end = func(r *record) { r.State, r.Engine, r.Message, r.Error = Failed, process.ID{}, "", f }
		err = f
	}
	if written := s.journal.update(end); err == nil {
		err = written
	}
	s.log.Info().Msg("supervisor stopped")
	return err
}

func (s *supervisor) run(ctx context.Context, orphan process.ID) error {
	s.log.Info().Str("dir", s.o.Dir).Msg("supervisor started")
	in, err := prepare(ctx, s.o, s.log, s.journal, orphan)
	if err != nil {
		return err
	}
	if err := in.admitData(ctx); err != nil {
		return err
	}
	for restarts := 0; ; {
		server, err := in.open(ctx)
		if err != nil {
			return err
		}
		started := time.Now()
		if err := s.announce(in, server); err != nil {
			server.stop()
			return err
		}
		why := s.watch(ctx, server)
		switch why {
		case "":
			_ = s.journal.update(func(r *record) { r.State = Stopping })
			server.stop()
			return nil
		case diedMessage:
		default:
			s.log.Error().Str("engine", why).Msg("engine killed for restart; committed data is safe")
			server.kill()
		}
		server.stop() // the process has ended; this cleans up
		if time.Since(started) > crashWindow {
			restarts = 0
		}
		if restarts++; restarts > maxRestarts {
			if why == brokenMessage {
				return apperr.New(apperr.Unavailable, "Neo4j "+brokenMessage).
					WithHint("Free space on the disk of %s, then try again; see %s", s.o.Dir,
						s.o.path("logs", "debug.log"))
			}
			return in.whyEnded(server.lastOutput(), server.port)
		}
		s.log.Warn().Str("ended", server.cmd.ProcessState.String()).Int("restart", restarts).
			Msg("engine stopped unexpectedly; restarting it")
		err = s.journal.update(func(r *record) {
			r.State, r.Engine, r.Message = Starting, process.ID{}, "the engine "+why+"; starting it again"
		})
		if err != nil {
			return err
		}
		if err := sleep(ctx, time.Duration(restarts-1)*2*time.Second); err != nil {
			return err
		}
	}
}

// announce records that the server runs.
func (s *supervisor) announce(in *installation, server *server) error {
	if err := in.noteVersion(); err != nil {
		return err
	}
	err := s.journal.update(func(r *record) { r.State, r.Message, r.Done, r.Total = Running, "", 0, 0 })
	if err == nil {
		s.log.Info().Str("version", in.Version).Int("pid", server.cmd.Process.Pid).Int("port", server.port).
			Msg("engine started")
	}
	return err
}

const diedMessage = "ended unexpectedly"

// watch returns why the engine must be started again: diedMessage, or what is wrong with it. It returns "" if the engine
// must be stopped: because ctx ended, or because there are no leases. In that case watch keeps the lease lock, so that
// new clients wait for the end.
func (s *supervisor) watch(ctx context.Context, server *server) string {
	ctx, end := context.WithCancel(ctx)
	defer end()
	complaint := make(chan string, 1)
	go func() { complaint <- server.examine(ctx) }()
	tick := time.NewTicker(min(watchInterval, max(s.o.Idle/4, 10*time.Millisecond)))
	defer tick.Stop()
	for used := time.Now(); ; {
		select {
		case <-server.ended:
			return diedMessage
		case unwell := <-complaint:
			if unwell != "" {
				return unwell
			}
			continue
		case <-ctx.Done():
			s.log.Info().AnErr("cause", context.Cause(ctx)).Msg("engine stopping")
			return ""
		case <-tick.C:
		}
		unused, err := s.leases.TryLock()
		if err != nil || !unused {
			used = time.Now()
			continue
		}
		if info, err := s.leases.Stat(); err == nil && info.ModTime().After(used) && info.ModTime().Before(time.Now()) {
			used = info.ModTime() // a client came and left between two checks
		}
		if time.Since(used) >= s.o.Idle {
			s.log.Info().Dur("idle", s.o.Idle).Msg("engine idle; stopping it")
			return ""
		}
		_ = s.leases.Unlock()
	}
}

func stopFile(o Options) string { return o.path("stop") }

// awaitStop polls for a file that contains the id of this run. This works on every operating system without signals and
// cannot affect the next supervisor.
func (s *supervisor) awaitStop(ctx context.Context, cancel context.CancelCauseFunc) {
	run := s.journal.record().Run
	for {
		if asked, err := os.ReadFile(stopFile(s.o)); err == nil && strings.TrimSpace(string(asked)) == run {
			cancel(errStopAsked)
			return
		}
		if sleep(ctx, 200*time.Millisecond) != nil {
			return
		}
	}
}
