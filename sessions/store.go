package sessions

import (
	"time"

	"nomograph/graph"
	"nomograph/policies/change"
	"nomograph/policies/check"
	"nomograph/search"
	"nomograph/trace"
)

// Store manages the atlases of one graph, delivers their contexts in sessions, and evaluates reported actions.
type Store struct {
	Workspace string // working directory: with the agent, it selects the ambient session
	// answer for an action without a rule: ask (a reachable person, else deny; the default), deny, or allow
	UnknownAction string
	AskClient     string // when the client's user is asked to approve: local (default), always or never
	Reach         Reach
	// Key returns a secret of 32 bytes that is not in the graph. It binds approvals to their parameters, so servers
	// that share a graph must have the same key. NewStore sets a random key.
	Key func() ([]byte, error)
	// ApprovalDelay is the time from a person's answer until a grant takes effect; until then it can be undone.
	ApprovalDelay time.Duration

	graph    *graph.DB
	change   *change.Store
	checks   *check.Store
	trace    *trace.Log
	contexts *search.Index
}

// DefaultApprovalDelay leaves time to notice a mistake.
const DefaultApprovalDelay = 10 * time.Second

// NewStore returns the store of a graph.
func NewStore(db *graph.DB, change *change.Store, checks *check.Store, log *trace.Log, contexts *search.Index) *Store {
	return &Store{graph: db, change: change, checks: checks, trace: log, contexts: contexts, Key: ownKey(),
		ApprovalDelay: DefaultApprovalDelay}
}
