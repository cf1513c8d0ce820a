package engine

import (
	"os"
	"time"
)

// process names one process so that it cannot be mistaken for a later one with the same id.
type process struct {
	PID     int    `json:"pid,omitempty"`
	Started string `json:"started,omitempty"`
}

func identify(pid int) process { return process{PID: pid, Started: startedAt(pid)} }

func (p process) alive() bool {
	return p.PID > 0 && p.Started != "" && startedAt(p.PID) == p.Started
}

// end stops a process that is not our child: asked first, killed when it has not gone within patience.
func (p process) end(patience time.Duration) {
	handle, err := os.FindProcess(p.PID)
	if err != nil || !p.alive() {
		return
	}
	_ = askToStop(handle)
	for deadline := time.Now().Add(patience); p.alive(); {
		if time.Now().After(deadline) {
			_ = handle.Kill()
			break
		}
		time.Sleep(waitStep)
	}
	for range 200 { // a killed process needs a moment to give up its files
		if !p.alive() {
			return
		}
		time.Sleep(waitStep)
	}
}
