package main

import (
	"io"
	"runtime/debug"
	"time"
)

const quietTime = 3 * time.Second // without a message, after which memory is given back

// resting reads the messages of a server over stdin. One runs for each window of an editor and waits most of the time: while no message
// comes, it gives back what it does not hold. It is for one reader.
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

// giveBack returns free memory to the system, and pages of the program that are not used: they come again from its file.
func giveBack() {
	debug.FreeOSMemory()
	forgetProgram()
}
