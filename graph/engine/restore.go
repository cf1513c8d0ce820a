package engine

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"nomograph/graph/engine/files"
	"nomograph/internal/apperr"
	"nomograph/internal/disk"
	"nomograph/internal/progress"
)

// Restore replaces the graph by the one in a dump with any file name, and keeps a dump of the replaced graph in
// Options.Dir/backups. Clients wait as during a backup. If the dump cannot be loaded, the graph stays unchanged. It
// returns not_found for a missing file, validation_error for a file that is not a dump, and unavailable otherwise.
func Restore(ctx context.Context, o Options, file string) error {
	file = absolute(file)
	if info, err := os.Stat(file); err != nil || info.IsDir() {
		return apperr.Newf(apperr.NotFound, "File %s not found", file).
			WithHint("Pass the path of a dump that backup wrote").Because(err)
	}
	if dump, err := disk.Open(file); err != nil { // before an engine starts or stops
		return unreadable(file, err)
	} else {
		_ = dump.Close()
	}
	return maintain(ctx, o, "a backup is being restored", func(ctx context.Context, in *installation) error {
		if exists(in.o.path("data", "databases", database)) {
			previous := in.o.path("backups", "before-restore-"+stamp()+".dump")
			if err := in.dump(ctx, previous); err != nil {
				return err
			}
			in.log.Info().Str("file", previous).Msg("previous graph kept")
		}
		return in.load(ctx, file)
	})
}

func unreadable(file string, cause error) error {
	return apperr.Newf(apperr.NotFound, "Cannot read %s", file).WithHint("Check its permissions").Because(cause)
}

// A restore moves the old graph to the directory replaced until the dump is loaded. The next process undoes a restore
// that was killed before that. Renaming the directory to replaced-done commits the restore.
const (
	replaced     = "replaced"
	replacedDone = "replaced-done"
	noneBefore   = "none-before" // marker file in replaced: there was no graph before
)

var graphFolders = []string{"databases", "transactions"}

func (in *installation) load(ctx context.Context, file string) error {
	dump, err := disk.Open(file)
	if err != nil {
		return unreadable(file, err)
	}
	defer dump.Close()
	progress.Say(ctx, "Loading "+filepath.Base(file))
	if err := setGraphAside(in.o); err != nil {
		return errors.Join(err, undoRestore(in.o))
	}
	err = in.admin(ctx, adminCall{args: []string{"database", "load", database, "--from-stdin",
		"--overwrite-destination=true"}, stdin: dump})
	if err == nil {
		if err := os.Rename(in.o.path(replaced), in.o.path(replacedDone)); err != nil {
			return files.Unwritable(in.o.path(replacedDone), err)
		}
		_ = os.RemoveAll(in.o.path(replacedDone)) // the next start retries
		return nil
	}
	if back := undoRestore(in.o); back != nil {
		return apperr.Newf(apperr.Unavailable, "Cannot load %s; the previous graph is in %s", file,
			in.o.path(replaced)).
			WithHint("The next start of the engine tries to restore it").Because(errors.Join(err, back))
	}
	if ctx.Err() != nil {
		return apperr.New(apperr.Unavailable, "The restore was canceled; the graph is unchanged").
			WithHint("Run restore again to replace it").Because(err)
	}
	return apperr.Newf(apperr.Validation, "Cannot load %s; the graph is unchanged", file).
		WithHint("Check that the dump is from Neo4j %s or older; see %s", in.Version, in.o.path("logs", "admin.log")).
		Because(err)
}

func setGraphAside(o Options) error {
	none := !exists(o.path("data", "databases", database))
	for _, part := range graphFolders {
		if err := os.MkdirAll(o.path(replaced, part), 0o700); err != nil {
			return files.Unwritable(o.path(replaced), err)
		}
		err := os.Rename(o.path("data", part, database), o.path(replaced, part, database))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return files.Unwritable(o.path("data", part), err)
		}
	}
	if none {
		return files.Write(o.path(replaced, noneBefore), nil)
	}
	return nil
}

// undoRestore moves the old graph back after an unfinished restore.
func undoRestore(o Options) error {
	_ = os.RemoveAll(o.path(replacedDone))
	if !exists(o.path(replaced)) {
		return nil
	}
	for _, part := range graphFolders {
		from, to := o.path(replaced, part, database), o.path("data", part, database)
		if !exists(from) && !exists(o.path(replaced, noneBefore)) {
			continue // not moved yet, or moved back already
		}
		if err := os.RemoveAll(to); err != nil {
			return files.Unwritable(to, err)
		}
		if err := os.Rename(from, to); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return files.Unwritable(to, fmt.Errorf("put the graph back: %w", err))
		}
	}
	return os.RemoveAll(o.path(replaced))
}
