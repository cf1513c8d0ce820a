package disk

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// Writable reports whether files can be created in a directory, or in its nearest existing parent. It creates and
// removes a file, because permissions do not reveal a read-only file system or a full disk.
func Writable(folder string) error {
	folder, err := nearest(folder)
	if err != nil {
		return err
	}
	trial, err := os.CreateTemp(folder, ".nomograph-*")
	if err != nil {
		return err
	}
	return errors.Join(trial.Close(), os.Remove(trial.Name()))
}

// Free returns the bytes that this user can still write on the disk of a directory, or of its nearest existing parent.
func Free(folder string) (int64, error) {
	folder, err := nearest(folder)
	if err != nil {
		return 0, err
	}
	return free(folder)
}

// nearest returns the directory, or its nearest existing parent.
func nearest(folder string) (string, error) {
	for {
		info, err := os.Stat(folder)
		if err == nil && !info.IsDir() {
			return "", &fs.PathError{Op: "write", Path: folder, Err: syscall.ENOTDIR}
		}
		if err == nil {
			return folder, nil
		}
		above := filepath.Dir(folder)
		if above == folder || !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, syscall.ENOTDIR) {
			return "", err
		}
		folder = above
	}
}
