package engine

import (
	"github.com/dustin/go-humanize"

	"nomograph/internal/apperr"
	"nomograph/internal/disk"
)

// Neo4j allocates transaction logs of 16 MB in advance. If one does not fit, it makes its database read-only until it
// is restarted, and an engine that starts then does not answer for minutes.
const (
	spaceToStart = 64 << 20 // a new graph needs 50 MB
	spaceToRun   = 16 << 20
)

var freeSpace = disk.Free // a variable for tests

// CheckSpace returns how many bytes are free on the disk of the engine's directory, and unavailable if they are too
// few for a start. An unknown number is -1.
func CheckSpace(o Options) (int64, error) {
	o = o.Defaults()
	free, err := freeSpace(o.Dir)
	if err != nil {
		return -1, nil //nolint:nilerr // Neo4j reports a disk that cannot be read
	}
	if free < spaceToStart {
		return free, apperr.Newf(apperr.Unavailable, "The disk of %s has only %s free, and Neo4j needs %s", o.Dir,
			humanize.IBytes(uint64(free)), humanize.IBytes(spaceToStart)).
			WithHint("Free space, then try again. Committed data is safe")
	}
	return free, nil
}

// isFull reports whether the disk has no room for the next transaction log.
func (o Options) isFull() bool {
	free, err := freeSpace(o.Dir)
	return err == nil && free < spaceToRun
}
