package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"slices"
	"time"

	"github.com/gofrs/flock"

	"nomograph/internal/disk"
)

// spool is a private file of JSON lines that wait for the database. Several processes may add and remove lines.
type spool string

const (
	maxWaiting = 1 << 20                // bytes of lines that wait
	lockTime   = 500 * time.Millisecond // for a lock that is only held while a file is appended or renamed
)

var errSpoolFull = errors.New("too many executed calls wait for the database")

func (s spool) locked(work func() error) error {
	ctx, cancel := context.WithTimeout(context.Background(), lockTime)
	defer cancel()
	lock := flock.New(string(s) + ".lock")
	if locked, err := lock.TryLockContext(ctx, lockEvery); err != nil || !locked {
		return errors.Join(err, ctx.Err())
	}
	defer func() { _ = lock.Unlock() }()
	return work()
}

// add appends a line for each value, all or none.
func (s spool) add(values ...any) error {
	var lines bytes.Buffer
	encoder := json.NewEncoder(&lines)
	for _, value := range values {
		if err := encoder.Encode(value); err != nil {
			return err
		}
	}
	return s.locked(func() error {
		file, err := os.OpenFile(string(s), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
		if err != nil {
			return err
		}
		info, err := file.Stat()
		if err == nil && info.Size() > maxWaiting {
			err = errSpoolFull
		}
		if err == nil {
			if _, err = file.Write(lines.Bytes()); err != nil { // a full disk may have taken a part
				err = errors.Join(err, file.Truncate(info.Size()))
			}
		}
		return errors.Join(err, file.Close())
	})
}

// waits reports whether the file may contain lines.
func (s spool) waits() bool {
	for _, name := range []string{string(s), string(s) + ".taken"} {
		if _, err := os.Stat(name); err == nil {
			return true
		}
	}
	return false
}

// drain returns the lines to send, and removes them if it returns true. One process does this at a time. The next call
// returns lines that are added meanwhile. Lines of a process that ended early are sent again, so send must be
// idempotent.
func (s spool) drain(send func(lines [][]byte) bool) {
	if !s.waits() {
		return
	}
	sending := flock.New(string(s) + ".sending")
	if locked, err := sending.TryLock(); err != nil || !locked {
		return
	}
	defer func() { _ = sending.Unlock() }()
	moved := string(s) + ".taken"
	for {
		text, err := disk.Read(moved, 2*maxWaiting)
		if errors.Is(err, fs.ErrNotExist) {
			if s.locked(func() error { return os.Rename(string(s), moved) }) != nil { // nothing waits
				return
			}
			continue
		}
		if err != nil {
			return
		}
		if !send(slices.Collect(bytes.Lines(text))) || os.Remove(moved) != nil {
			return
		}
	}
}
