package decisions

import (
	"crypto/rand"
	"encoding/hex"

	"nomograph/graph"
	"nomograph/internal/uid"
	"nomograph/policies/check"
	"nomograph/trace"
)

// Store records and reads the decisions of one graph. Nothing is cached.
type Store struct {
	// Settings can be changed until the store is first used.
	Settings Settings

	// BackgroundWorkers are woken after decisions were written.
	BackgroundWorkers []interface{ Wake() }

	// NewUID returns the uid of a new node, a UUIDv7; NewID an id for a decision, which may be in use.
	NewUID, NewID func() string

	graph  *graph.DB
	checks *check.Store
	trace  *trace.Log
}

// Settings are defaults for absent fields.
type Settings struct {
	Project   string // default project
	Workspace string // working directory: with the agent, it selects the ambient session
}

// NewStore returns the store of a graph.
func NewStore(db *graph.DB, rules *check.Store, log *trace.Log) *Store {
	return &Store{graph: db, checks: rules, trace: log, NewID: drawID, NewUID: uid.New}
}

// WakeWorkers wakes the background workers after decisions were written.
func (s *Store) WakeWorkers() {
	for _, worker := range s.BackgroundWorkers {
		worker.Wake()
	}
}

// drawID returns 8 random hex characters.
func drawID() string {
	var raw [4]byte
	_, _ = rand.Read(raw[:]) // rand.Read never fails
	return hex.EncodeToString(raw[:])
}

// Session names the session and the caller: fields shared by operations.
type Session struct {
	SessionID string `json:"session_id,omitempty" jsonschema:"session (default the ambient session)" rule:"maxLength=200" claim:"session"`
	By        string `json:"-"` // the caller's authenticated name
}

// Caller says for whom a call acts, and in which session: fields shared by operations.
type Caller struct {
	AgentID string `json:"agent_id,omitempty" jsonschema:"acting agent (default the caller)" rule:"maxLength=200" claim:"agent"`
	Session
}

// Actor returns the acting agent: the stated one, else the caller, masked.
func (c Caller) Actor() string { return trace.Actor(c.AgentID, c.By) }

func (s *Store) sessionSelector(c Caller) trace.SessionSelector {
	return trace.SessionSelector{Agent: c.Actor(), Workspace: s.Settings.Workspace, SessionID: c.SessionID}
}
