package disk

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"nomograph/internal/retry"
)

// Write replaces a file atomically: readers see the old or the new content, never a part. The temporary name cannot be
// predicted.
func Write(path string, data []byte, mode fs.FileMode) error {
	aside, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+"-*") // created with mode 0600
	if err != nil {
		return err
	}
	_, err = aside.Write(data)
	if err = errors.Join(err, aside.Close(), os.Chmod(aside.Name(), mode)); err == nil {
		err = Replace(aside.Name(), path)
	}
	if err != nil {
		_ = os.Remove(aside.Name())
	}
	return err
}

// Replace renames a file over an existing one. Windows refuses while another process has the old file open, which
// readers do for less than a millisecond, so Replace retries.
func Replace(from, to string) error {
	const pause = 5 * time.Millisecond
	return retry.Run(context.Background(), retry.Policy{Attempts: 20, First: pause, Max: pause},
		func() error { return os.Rename(from, to) })
}
