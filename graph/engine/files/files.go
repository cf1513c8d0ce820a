// Package files writes the private files of the engine atomically. Its errors say what a person can do:
//
//	err := files.Write(path, data) // an *apperr.Error: unavailable
package files

import (
	"context"
	"os"
	"path/filepath"
	"time"

	"nomograph/internal/apperr"
	"nomograph/internal/retry"
)

// EnvDir is the environment variable that names the folder of these files.
const EnvDir = "NOMOGRAPH_ENGINE_DIR"

// Write replaces a file so that a reader sees the old content or the new, never a part. Mode 0600.
func Write(path string, data []byte) (err error) {
	aside, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+"-*")
	if err != nil {
		return Unwritable(path, err)
	}
	defer func() {
		if err != nil {
			_ = os.Remove(aside.Name())
			err = Unwritable(path, err)
		}
	}()
	if _, err = aside.Write(data); err != nil {
		_ = aside.Close()
		return err
	}
	if err = aside.Close(); err != nil {
		return err
	}
	return Replace(aside.Name(), path)
}

// Replace renames over an existing file. Windows refuses while somebody has the old one open, which readers do for well
// under a millisecond, so it is worth asking again.
func Replace(from, to string) error {
	const pause = 5 * time.Millisecond
	_, err := retry.Do(context.Background(), retry.Policy{Attempts: 20, First: pause, Max: pause}, func() (struct{}, error) {
		return struct{}{}, os.Rename(from, to)
	})
	return err
}

// Unwritable is the fault unavailable for a file or folder that cannot be written.
func Unwritable(path string, err error) error {
	return apperr.Newf(apperr.Unavailable, "Cannot write %s", path).
		WithHint("Set %s (or XDG_DATA_HOME) to a writable folder with free space, or set NEO4J_URI to use another database", EnvDir).Because(err)
}
