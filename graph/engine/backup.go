package engine

import (
	"cmp"
	"context"
	"errors"
	"os"
	"path/filepath"
	"time"

	"github.com/rs/zerolog"

	"nomograph/graph/engine/files"
	"nomograph/graph/engine/process"
	"nomograph/internal/apperr"
	"nomograph/internal/progress"
)

// Backup writes a dump of the graph to file, which must not exist. Neo4j Community can dump only while it is stopped,
// so the engine is stopped. Clients with a lease wait, with progress, and restart it when needed. It returns conflict
// if the file exists, and unavailable if the dump fails.
func Backup(ctx context.Context, o Options, file string) error {
	file = absolute(file)
	if exists(file) {
		return apperr.Newf(apperr.Conflict, "%s already exists", file).
			WithHint("Choose another name: a backup never overwrites a file")
	}
	return maintain(ctx, o, "a backup is being written", func(ctx context.Context, in *installation) error {
		if !exists(in.o.path("data", "databases", database)) {
			return apperr.Newf(apperr.NotFound, "No graph in %s yet", in.o.path("data")).
				WithHint("Start the engine once to create it")
		}
		return in.dump(ctx, file)
	})
}

// maintain runs work while the engine is stopped, and prevents starts meanwhile.
func maintain(ctx context.Context, o Options, task string, work func(context.Context, *installation) error) error {
	o = o.Defaults()
	if err := cmp.Or(o.validate(), o.folders()); err != nil {
		return err
	}
	lock := o.lock(maintenanceLock)
	defer lock.Close()
	locked, err := takeFor(ctx, lock, startRaceTime)
	for err == nil && !locked {
		progress.Say(ctx, "Waiting for another backup or restore")
		if ctx.Err() != nil {
			return apperr.New(apperr.Unavailable, "Another backup or restore is still running").
				WithHint("Try again after it ends").Because(ctx.Err())
		}
		locked, err = takeFor(ctx, lock, time.Second)
	}
	if err != nil {
		return err
	}
	release, err := takeOver(ctx, o)
	if err != nil {
		return err
	}
	defer release()

	journal := newJournal(o, Maintenance)
	orphan := journal.record().Engine
	if err := journal.update(func(r *record) { r.Message = task }); err != nil {
		return err
	}
	defer func() {
		_ = journal.update(func(r *record) {
			r.State, r.Engine, r.Message, r.Done, r.Total = Stopped, process.ID{}, "", 0, 0
		})
	}()
	ctx = addListener(ctx, func(step progress.Step) {
		step.Message = task + ": " + step.Message // waiting clients show this message
		journal.report(step)
	})
	in, err := prepare(ctx, o, *zerolog.Ctx(ctx), journal, orphan)
	if err != nil {
		return err
	}
	if in.Docker != "" {
		return in.unsupportedWithDocker()
	}
	return work(ctx, in)
}

// addListener adds a second progress listener.
func addListener(ctx context.Context, second func(progress.Step)) context.Context {
	return progress.Listen(ctx, func(step progress.Step) {
		progress.Report(ctx, step)
		second(step)
	})
}

// dump writes the graph to file. A graph that was not shut down cleanly is recovered first, which requires a start.
func (in *installation) dump(ctx context.Context, file string) error {
	progress.Say(ctx, "Writing "+filepath.Base(file))
	err := in.dumpOnce(ctx, file)
	var known *apperr.Error // all errors except those of the tool itself
	if err == nil || ctx.Err() != nil || errors.As(err, &known) {
		return err
	}
	in.log.Info().Err(err).Msg("recovery before backup started")
	progress.Say(ctx, "Recovering the graph")
	server, err := in.open(ctx)
	if err != nil {
		return err
	}
	server.stop()
	progress.Say(ctx, "Writing "+filepath.Base(file))
	if err := in.dumpOnce(ctx, file); err != nil {
		return apperr.New(apperr.Unavailable, "The backup failed").WithHint("See %s", in.o.path("logs", "admin.log")).
			Because(err)
	}
	return nil
}

func (in *installation) dumpOnce(ctx context.Context, file string) error {
	aside, err := os.CreateTemp(filepath.Dir(file), "."+filepath.Base(file)+"-*")
	if err != nil {
		return files.Unwritable(file, err)
	}
	defer os.Remove(aside.Name())
	defer aside.Close()
	if err := in.admin(ctx, adminCall{args: []string{"database", "dump", database, "--to-stdout"},
		stdout: aside}); err != nil {
		return err
	}
	if err := errors.Join(aside.Sync(), aside.Close()); err != nil {
		return files.Unwritable(file, err)
	}
	if exists(file) {
		return apperr.Newf(apperr.Conflict, "%s already exists", file).WithHint("Choose another name")
	}
	if err := os.Rename(aside.Name(), file); err != nil {
		return files.Unwritable(file, err)
	}
	return nil
}
