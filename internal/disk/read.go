package disk

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// ErrNotRegular is the error for pipes, devices, sockets and directories. Reading them might never end.
var ErrNotRegular = errors.New("not a regular file")

// ErrTooLarge is the error for a file over the limit.
var ErrTooLarge = errors.New("too large")

// Open opens a regular file for reading and never waits for a writer. It returns the errors of the file system, or
// ErrNotRegular.
func Open(path string) (*os.File, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() { // opening a device can have side effects
		return nil, &fs.PathError{Op: "open", Path: path, Err: ErrNotRegular}
	}
	file, err := os.OpenFile(path, os.O_RDONLY|nonblocking, 0)
	if err != nil {
		return nil, err
	}
	if info, err = file.Stat(); err == nil && !info.Mode().IsRegular() { // another file replaced it meanwhile
		err = &fs.PathError{Op: "open", Path: path, Err: ErrNotRegular}
	}
	if err != nil {
		_ = file.Close()
		return nil, err
	}
	return file, nil
}

// Read reads a regular file with at most limit bytes. It returns the errors of the file system, ErrNotRegular or
// ErrTooLarge.
func Read(path string, limit int64) ([]byte, error) {
	file, err := Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, limit+1))
	if err == nil && int64(len(text)) > limit {
		err = &fs.PathError{Op: "read", Path: path, Err: fmt.Errorf("%w: more than %d bytes", ErrTooLarge, limit)}
	}
	if err != nil {
		return nil, err
	}
	return text, nil
}
