package decisions

import (
	"crypto/rand"
	"encoding/hex"

	"nomograph/graph"
	"nomograph/internal/uid"
	"nomograph/policies/gate"
	"nomograph/trace"
)

// Store records and reads the decisions of one graph. Nothing is cached.
type Store struct {
	// Settings may be changed until the store is first used.
	Settings Settings

	// Followers are woken where decisions were written: they make something of them behind the answer.
	Followers []interface{ Wake() }

	// NewUID draws the uid of a node to be made, a UUIDv7; NewID an id for a decision, which may be taken.
	NewUID, NewID func() string

	graph   *graph.DB
	gate    *gate.Store
	trace   *trace.Log
	reviews *graph.Batcher[*reviewing, struct{}]
}

// Settings say what stands for what a call leaves out.
type Settings struct {
	Project   string // of decisions that name none
	Workspace string // where this process works: with the agent, it selects the ambient session
}

// NewStore gives the store of a graph.
func NewStore(db *graph.DB, rules *gate.Store, log *trace.Log) *Store {
	s := &Store{graph: db, gate: rules, trace: log, NewID: drawID,
		NewUID: uid.New}
	s.reviews = graph.NewBatcher(s.writeReviews)
	return s
}

// WakeFollowers tells the followers that decisions were written.
func (s *Store) WakeFollowers() {
	for _, follower := range s.Followers {
		follower.Wake()
	}
}

// drawID draws the 8 hex characters by which people call a decision.
func drawID() string {
	var raw [4]byte
	_, _ = rand.Read(raw[:]) // it never fails
	return hex.EncodeToString(raw[:])
}

// Session is the session that a call belongs to, and who calls: fields that operations share.
type Session struct {
	SessionID string `json:"session_id,omitempty" jsonschema:"session (default the ambient session)" rule:"maxLength=200" claim:"session"`
	By        string `json:"-"` // the name that the door knows the caller by
}

// Caller says on whose behalf a call comes, and in which session: fields that operations share.
type Caller struct {
	AgentID string `json:"agent_id,omitempty" jsonschema:"acting agent (default the caller)" rule:"maxLength=200" claim:"agent"`
	Session
}

// Actor is who acts: what the call says, else who calls, masked.
func (c Caller) Actor() string { return trace.Actor(c.AgentID, c.By) }

func (s *Store) who(c Caller) trace.SessionSelector {
	return trace.SessionSelector{Agent: c.Actor(), Workspace: s.Settings.Workspace, SessionID: c.SessionID}
}
