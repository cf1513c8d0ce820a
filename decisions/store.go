package decisions

import (
	"crypto/rand"
	"encoding/hex"

	"github.com/google/uuid"

	"nomograph/graph"
	"nomograph/policies/circuit"
	"nomograph/policies/gate"
	"nomograph/policies/live"
	"nomograph/search"
	"nomograph/trace"
)

// Store records and reads the decisions of one graph. Nothing is cached.
type Store struct {
	// Settings may be changed until the store is first used.
	Settings Settings

	// Followers are woken where decisions were written: they make something of them behind the answer.
	Followers []interface{ Wake() }

	graph   *graph.DB
	gate    *gate.Store
	circuit *circuit.Store
	live    *live.Store
	trace   *trace.Log
	search  *search.Index
	counter *counter
	drawUID func() string
	drawID  func() string
}

// Settings say what stands for what a call leaves out.
type Settings struct {
	Project   string // of decisions that name none
	Workspace string // where this process works: with the agent, it selects the ambient session
}

// NewStore gives the store of a graph.
func NewStore(db *graph.DB, rules *gate.Store, breakers *circuit.Store, values *live.Store, log *trace.Log, index *search.Index) *Store {
	return &Store{graph: db, gate: rules, circuit: breakers, live: values, trace: log, search: index, counter: newCounter(db), drawID: drawID,
		drawUID: func() string { return uuid.Must(uuid.NewV7()).String() }}
}

// wake tells the followers that decisions were written.
func (s *Store) wake() {
	for _, follower := range s.Followers {
		follower.Wake()
	}
}

// newUID is the uid of a node to be made.
func (s *Store) newUID() string { return s.drawUID() }

// newID is an id for a decision; it may be taken.
func (s *Store) newID() string { return s.drawID() }

// drawID draws the 8 hex characters by which people call a decision.
func drawID() string {
	var raw [4]byte
	_, _ = rand.Read(raw[:]) // it never fails
	return hex.EncodeToString(raw[:])
}

// Caller says on whose behalf a call comes, and in which session.
type Caller struct {
	Agent     string // the argument agent_id, else By
	SessionID string // empty: the ambient session
}

func (s *Store) who(c Caller) trace.Who {
	return trace.Who{Agent: c.Agent, Workspace: s.Settings.Workspace, SessionID: c.SessionID}
}
