// Package process identifies processes, detaches them and ends them, on every operating system:
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

const endStep = 25 * time.Millisecond

// ID names one process so that it cannot be mistaken for a later one with the same number.
type ID struct {
	PID     int    `json:"pid,omitempty"`
	Started string `json:"started,omitempty"`
}

// Identify names the process that has this number now; one that is not there is never alive.
func Identify(pid int) ID { return ID{PID: pid, Started: startedAt(pid)} }

// Alive tells whether it is there still.
func (p ID) Alive() bool {
	return p.PID > 0 && p.Started != "" && startedAt(p.PID) == p.Started
}

// End stops a process that is not our child: asked first, killed when it has not gone within patience.
func (p ID) End(patience time.Duration) {
	handle, err := os.FindProcess(p.PID)
	if err != nil || !p.Alive() {
		return
	}
	_ = AskToStop(handle)
	for deadline := time.Now().Add(patience); p.Alive(); {
		if time.Now().After(deadline) {
			_ = handle.Kill()
			break
		}
		time.Sleep(endStep)
	}
	for range 200 { // a killed process needs a moment to give up its files
		if !p.Alive() {
			return
		}
		time.Sleep(endStep)
	}
}
