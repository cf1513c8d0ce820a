package engine

import (
	"bytes"
	"io"
	"os"
	"time"

	"nomograph/internal/apperr"
)

// Status describes the engine without starting it.
type Status struct {
	State        State  `json:"state"`
	URI          string `json:"uri,omitempty"` // only while the engine runs
	Username     string `json:"username"`
	PasswordFile string `json:"password_file"`
	Data         string `json:"data"`
	Logs         string `json:"logs"`
	PID          int    `json:"pid,omitempty"`        // process of Neo4j or of the docker command
	Supervisor   int    `json:"supervisor,omitempty"` // process id of the supervisor
	// running version, else the previous version, else the version to start
	Version  string        `json:"version"`
	Memory                 // limits of the running engine, else of the next engine
	Compiler string        `json:"compiler,omitempty"` // Java compiler mode: quick or full
	Since    *time.Time    `json:"since,omitempty"`    // start of this state
	Message  string        `json:"message,omitempty"`  // current activity
	Done     int64         `json:"done,omitempty"`
	Total    int64         `json:"total,omitempty"`
	Error    *apperr.Error `json:"error,omitempty"` // error of the last start
}

// Inspect reads the state without starting anything. It returns unavailable if the directory cannot be read.
func Inspect(o Options) (status Status, err error) {
	o = o.Defaults()
	if o.homeless != nil {
		return Status{}, o.homeless
	}
	status = Status{
		State: Stopped, Username: userName, PasswordFile: o.passwordFile(), Data: o.path("data"), Logs: o.path("logs"),
		Version: o.Version, Compiler: o.Compiler,
	}
	defer func() {
		if status.Memory == (Memory{}) {
			status.Memory = o.Memory()
		}
	}()
	if !exists(o.path(supervisorLock)) {
		return status, nil // never started: create no lock file
	}
	held, err := o.isHeld(supervisorLock)
	if err != nil {
		return status, err
	}
	now := readRecord(o)
	if now.Version != "" {
		status.Version = now.Version
	}
	if now.State == Failed { // the supervisor may not have ended yet
		status.Error = now.Error
	}
	switch {
	case held:
		status.State, status.Supervisor = now.State, now.Supervisor.PID
		status.Message, status.Done, status.Total = now.Message, now.Done, now.Total
		if now.Engine.Alive() {
			status.PID = now.Engine.PID
		}
		if now.State == Running {
			status.URI, status.Memory, status.Compiler = uri(now.Port), now.Memory, now.Compiler
		}
	case now.State == Failed:
		status.State = Failed
	default:
		return status, nil // the file is outdated without a supervisor
	}
	status.Since = &now.Since
	return status, nil
}

// Logs returns the paths of the engine's log files, the most useful first.
func Logs(o Options) []string {
	o = o.Defaults()
	var paths []string
	for _, name := range []string{"neo4j.log", "supervisor.log", "console.log", "admin.log", "debug.log"} {
		if path := o.path("logs", name); exists(path) {
			paths = append(paths, path)
		}
	}
	return paths
}

const maxTail = 256 << 10 // bytes

// Tail returns the last lines of a file, from its last quarter of a megabyte at most.
func Tail(path string, lines int) (string, error) {
	file, err := os.Open(path)
	if err != nil {
		return "", apperr.Newf(apperr.NotFound, "Cannot read %s", path).
			WithHint("Check that it exists and its permissions").Because(err)
	}
	defer file.Close()
	if info, err := file.Stat(); err == nil && info.Size() > maxTail {
		_, _ = file.Seek(-maxTail, io.SeekEnd)
	}
	data, err := io.ReadAll(file)
	if err != nil {
		return "", apperr.Newf(apperr.Unavailable, "Cannot read %s", path).
			WithHint("Check that it exists and its permissions").Because(err)
	}
	data = bytes.TrimRight(data, "\n")
	for begin, seen := len(data), 0; begin > 0; begin-- {
		if data[begin-1] != '\n' {
			continue
		}
		if seen++; seen == lines {
			return string(data[begin:]) + "\n", nil
		}
	}
	return string(data) + "\n", nil
}
