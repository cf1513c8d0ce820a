package main

import (
	"io"
	"runtime/debug"
	"time"
)

const idleTime = 3 * time.Second // idle time after which memory is released

// idleReader reads the messages of a server over stdin and releases unused memory while none arrive. One such server
// runs for each window of an editor and is idle most of the time. It supports a single reader.
type idleReader struct {
	io.Reader
	timer *time.Timer
}

func newIdleReader(in io.Reader, rest func()) *idleReader {
	return &idleReader{Reader: in, timer: time.AfterFunc(idleTime, rest)}
}

func (r *idleReader) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p)
	if err != nil {
		r.timer.Stop()
	} else {
		r.timer.Reset(idleTime)
	}
	return n, err
}

// releaseMemory returns free memory to the system, and unloads unused pages of the program file, which can be loaded
// again.
func releaseMemory() {
	debug.FreeOSMemory()
	unloadProgram()
}
