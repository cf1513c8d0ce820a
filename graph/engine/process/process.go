// Package process identifies, detaches and ends processes on every operating system:
//
//	id := process.Identify(cmd.Process.Pid) // can be stored: a later process with the same pid does not match
//	if id.Alive() {
//		id.End(time.Minute)
//	}
package process

import (
	"os"
	"time"
)

const pollInterval = 25 * time.Millisecond

// ID identifies a process. A later process with the same number has another ID.
type ID struct {
	PID     int    `json:"pid,omitempty"`
	Started string `json:"started,omitempty"`
}

// Identify returns the ID of the process with a number. The ID of a missing process is never alive.
func Identify(pid int) ID { return ID{PID: pid, Started: startedAt(pid)} }

// Alive reports whether the process still runs.
func (p ID) Alive() bool {
	return p.PID > 0 && p.Started != "" && startedAt(p.PID) == p.Started
}

// End stops a process that need not be a child: it asks first and kills the process after limit.
func (p ID) End(limit time.Duration) {
	handle, err := os.FindProcess(p.PID)
	if err != nil || !p.Alive() {
		return
	}
	_ = AskToStop(handle)
	for deadline := time.Now().Add(limit); p.Alive(); {
		if time.Now().After(deadline) {
			_ = handle.Kill()
			break
		}
		time.Sleep(pollInterval)
	}
	for range 200 { // a killed process needs a moment to close its files
		if !p.Alive() {
			return
		}
		time.Sleep(pollInterval)
	}
}
