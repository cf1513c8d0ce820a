package engine

import (
	"context"
	"os"
	"time"

	"github.com/rs/zerolog"

	"nomograph/graph/engine/files"
	"nomograph/graph/engine/process"
	"nomograph/graph/engine/provision"
	"nomograph/internal/apperr"
	"nomograph/internal/progress"
)

// Stop asks the supervisor to stop the engine and waits until it has stopped, even if clients hold leases: they restart
// it when needed. It does nothing if no engine runs. It returns unavailable if ctx ends first, or during a backup or
// restore.
func Stop(ctx context.Context, o Options) error {
	o = o.Defaults()
	if o.homeless != nil {
		return o.homeless
	}
	if !exists(o.path(supervisorLock)) {
		return nil
	}
	now := readRecord(o)
	if held, err := o.isHeld(supervisorLock); err != nil || !held {
		return err
	}
	if now.State == Maintenance {
		return apperr.New(apperr.Unavailable, "A backup or a restore is running").
			WithHint("Wait until it ends: the engine is stopped during that time")
	}
	progress.Say(ctx, "Stopping the engine")
	for target := now.Run; ; {
		if held, err := o.isHeld(supervisorLock); err != nil || !held {
			return err
		}
		now := readRecord(o)
		if target != "" && now.Run != target {
			return nil // the engine stopped, and another client restarted it
		}
		target = now.Run
		if err := askSupervisor(o, now); err != nil {
			return err
		}
		if err := sleep(ctx, leasePollInterval); err != nil {
			return apperr.New(apperr.Unavailable, "The engine is still stopping").
				WithHint("Wait: it continues to stop in the background").Because(err)
		}
	}
}

// askSupervisor writes the stop request, once per run.
func askSupervisor(o Options, now record) error {
	if now.Run == "" || now.State != Starting && now.State != Running {
		return nil
	}
	if asked, err := os.ReadFile(stopFile(o)); err == nil && string(asked) == now.Run {
		return nil
	}
	return files.Write(stopFile(o), []byte(now.Run))
}

// prepare cleans up after a killed holder of supervisor.lock: it ends the orphaned engine and undoes an unfinished
// restore. Then it finds or downloads the programs and chooses the memory sizes.
func prepare(ctx context.Context, o Options, log zerolog.Logger, journal *journal, orphan process.ID) (*installation,
	error) {
	if orphan.Alive() {
		log.Warn().Int("pid", orphan.PID).Msg("orphaned engine found; stopping it")
		progress.Say(ctx, "Stopping an orphaned engine")
		orphan.End(stopTimeout)
	}
	if err := undoRestore(o); err != nil {
		return nil, err
	}
	programs, err := provision.Find(ctx, o.source())
	if err != nil {
		return nil, err
	}
	o, memory := o.withMemory()
	log.Info().Str("heap", memory.Heap).Str("page_cache", memory.PageCache).Str("compiler", o.Compiler).Msg(memory.Why)
	if err := journal.update(func(r *record) { r.Memory, r.Compiler = memory, o.Compiler }); err != nil {
		return nil, err
	}
	in := &installation{Programs: programs, o: o, log: log, journal: journal}
	return in, o.writeConf(journal.record().Port)
}

// takeOver stops the engine and takes supervisor.lock. The caller holds maintenance.lock, so that no other supervisor
// can start.
func takeOver(ctx context.Context, o Options) (release func(), err error) {
	lock := o.lock(supervisorLock)
	for {
		locked, err := takeFor(ctx, lock, 20*time.Millisecond)
		if err != nil {
			return nil, err
		}
		if locked {
			return func() { _ = lock.Close() }, nil
		}
		if held, err := o.isHeld(supervisorLock); err == nil && held {
			progress.Say(ctx, "Stopping the engine")
			if err := askSupervisor(o, readRecord(o)); err != nil {
				return nil, err
			}
		}
		if err := sleep(ctx, leasePollInterval); err != nil {
			return nil, apperr.New(apperr.Unavailable, "The engine is still stopping").
				WithHint("Try again in a moment").Because(err)
		}
	}
}
