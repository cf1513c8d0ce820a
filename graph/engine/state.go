package engine

import (
	"encoding/json"
	"os"
	"sync"
	"time"

	"nomograph/graph/engine/files"
	"nomograph/graph/engine/process"
	"nomograph/internal/apperr"
	"nomograph/internal/progress"
	"nomograph/internal/uid"
)

// State is the state of the engine.
type State string

// States that Inspect reports.
const (
	Stopped     State = "stopped"
	Starting    State = "starting" // includes provisioning
	Running     State = "running"
	Stopping    State = "stopping"
	Failed      State = "failed"
	Maintenance State = "maintenance" // backup or restore
)

// record is the content of state.json, by which the holder of supervisor.lock informs other processes.
type record struct {
	Run        string        `json:"run"` // id of a supervisor's run, to recognize failures of earlier runs
	State      State         `json:"state"`
	Since      time.Time     `json:"since"`
	Supervisor process.ID    `json:"supervisor"`
	Engine     process.ID    `json:"engine"`
	Port       int           `json:"port,omitempty"`
	Version    string        `json:"version,omitempty"`
	Memory     Memory        `json:"memory,omitzero"`
	Compiler   string        `json:"compiler,omitempty"`
	Message    string        `json:"message,omitempty"`
	Done       int64         `json:"done,omitempty"`
	Total      int64         `json:"total,omitempty"`
	Error      *apperr.Error `json:"error,omitempty"`
}

// answers reports whether the record describes an engine to connect to. An engine whose supervisor is gone will be
// stopped by the next supervisor, which takes the lock before it writes its own record.
func (r record) answers() bool {
	return r.State == Running && r.Supervisor.Alive() && (r.Engine.PID == 0 || r.Engine.Alive())
}

func (r record) step() progress.Step {
	return progress.Step{Message: r.Message, Done: r.Done, Total: r.Total}
}

// readRecord returns the zero record if the file is missing or unreadable.
func readRecord(o Options) record {
	var r record
	data, err := os.ReadFile(o.path("state.json"))
	if err != nil || json.Unmarshal(data, &r) != nil {
		return record{}
	}
	return r
}

// journal writes state.json while its owner holds supervisor.lock.
type journal struct {
	o       Options
	mu      sync.Mutex
	now     record
	written time.Time
}

func newJournal(o Options, state State) *journal {
	before := readRecord(o)
	// Keep the port for the next engine, and the engine to find and end an orphan.
	return &journal{o: o, now: record{
		Run: uid.Random(), State: state, Since: time.Now(), Supervisor: process.Identify(os.Getpid()),
		Engine: before.Engine, Port: before.Port, Version: before.Version, Memory: before.Memory,
	}}
}

func (j *journal) record() record {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.now
}

// update changes the record and writes it immediately.
func (j *journal) update(change func(*record)) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	before := j.now.State
	change(&j.now)
	if j.now.State != before {
		j.now.Since = time.Now()
	}
	return j.write()
}

// report is a progress listener. It writes frequent counts less often.
func (j *journal) report(step progress.Step) {
	j.mu.Lock()
	defer j.mu.Unlock()
	sameWord := j.now.Message == step.Message
	j.now.Message, j.now.Done, j.now.Total = step.Message, step.Done, step.Total
	if sameWord && time.Since(j.written) < 100*time.Millisecond {
		return
	}
	_ = j.write() // the next change retries, and the work ends with an update
}

func (j *journal) write() error {
	data, err := json.MarshalIndent(j.now, "", "  ")
	if err != nil {
		return err
	}
	j.written = time.Now()
	return files.Write(j.o.path("state.json"), data)
}
