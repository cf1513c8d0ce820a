package main

import (
	"io"
	"runtime/debug"
	"time"
)

const quietTime = 3 * time.Second // idle time after which memory is released

// resting reads the messages of a server over stdin and releases unused memory while none arrive. One such server runs
// for each window of an editor and is idle most of the time. It supports a single reader.
type resting struct {
	io.Reader
	timer *time.Timer
}

func newResting(in io.Reader, rest func()) *resting {
	return &resting{Reader: in, timer: time.AfterFunc(quietTime, rest)}
}

func (r *resting) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p)
	if err != nil {
		r.timer.Stop()
	} else {
		r.timer.Reset(quietTime)
	}
	return n, err
}

// giveBack returns free memory to the system, and unloads unused pages of the program file, which can be loaded again.
func giveBack() {
	debug.FreeOSMemory()
	forgetProgram()
}
