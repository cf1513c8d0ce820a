// Package files writes the private files of the engine atomically. Its errors have a hint:
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

// EnvDir is the environment variable with the directory of these files.
const EnvDir = "NOMOGRAPH_ENGINE_DIR"

// Write replaces a file atomically with mode 0600. Readers see the old or the new content, never a part.
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

// Replace renames a file over an existing one. Windows refuses while another process has the old file open, which
// readers do for less than a millisecond, so Replace retries.
func Replace(from, to string) error {
	const pause = 5 * time.Millisecond
	return retry.Run(context.Background(), retry.Policy{Attempts: 20, First: pause, Max: pause}, func() error { return os.Rename(from, to) })
}

// Unwritable returns unavailable for a file or directory that cannot be written.
func Unwritable(path string, err error) error {
	return apperr.Newf(apperr.Unavailable, "Cannot write %s", path).
		WithHint("Set %s (or XDG_DATA_HOME) to a writable folder with free space, or set NEO4J_URI to use another database", EnvDir).Because(err)
}
