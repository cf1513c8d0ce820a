package engine

import (
	"os"
	"path/filepath"
	"time"
)

// writeWhole replaces a file so that a reader sees the old content or the new, never a part. Mode 0600.
func writeWhole(path string, data []byte) (err error) {
	aside, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+"-*")
	if err != nil {
		return unwritable(path, err)
	}
	defer func() {
		if err != nil {
			_ = os.Remove(aside.Name())
			err = unwritable(path, err)
		}
	}()
	if _, err = aside.Write(data); err != nil {
		_ = aside.Close()
		return err
	}
	if err = aside.Close(); err != nil {
		return err
	}
	return replace(aside.Name(), path)
}

// replace renames over an existing file. Windows refuses while somebody has the old one open, which readers do for well
// under a millisecond, so it is worth asking again.
func replace(from, to string) (err error) {
	for range 20 {
		if err = os.Rename(from, to); err == nil {
			return nil
		}
		time.Sleep(5 * time.Millisecond)
	}
	return err
}
