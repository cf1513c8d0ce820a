package sessions

import (
	"time"

	lru "github.com/hashicorp/golang-lru/v2"

	"nomograph/graph"
	"nomograph/policies/change"
	"nomograph/policies/check"
	"nomograph/search"
	"nomograph/trace"
)

// Store manages the atlases of one graph, delivers their contexts in sessions, and evaluates reported actions.
type Store struct {
	Workspace     string // working directory: with the agent, it selects the ambient session
	UnknownAction string // answer for an action without a rule: ask (a reachable person, else deny; the default), deny, or allow
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

	// recentAtlases caches the atlases of each caller's last delivery. The search starts with them while the session is read,
	// which then confirms them.
	recentAtlases *lru.Cache[string, []string]

	finding *graph.Batcher[sessionSelector, map[sessionSelector]governed]
}

// DefaultApprovalDelay leaves time to notice a mistake.
const DefaultApprovalDelay = 10 * time.Second

const knownCallers = 1000

// NewStore returns the store of a graph.
func NewStore(db *graph.DB, change *change.Store, checks *check.Store, log *trace.Log, contexts *search.Index) *Store {
	recentAtlases, err := lru.New[string, []string](knownCallers)
	if err != nil { // cannot happen: the size is positive
		panic(err)
	}
	s := &Store{graph: db, change: change, checks: checks, trace: log, contexts: contexts, recentAtlases: recentAtlases, Key: ownKey(), ApprovalDelay: DefaultApprovalDelay}
	s.finding = graph.NewBatcher(s.find)
	return s
}
