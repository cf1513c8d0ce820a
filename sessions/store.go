package sessions

import (
	"time"

	lru "github.com/hashicorp/golang-lru/v2"

	"nomograph/graph"
	"nomograph/policies/change"
	"nomograph/policies/gate"
	"nomograph/search"
	"nomograph/trace"
)

// Store keeps the atlases of one graph, gives their contexts in sessions, and judges what agents report there.
type Store struct {
	Workspace     string // where this process works: with the agent, it selects the ambient session
	UnknownAction string // how an action that no rule knows is answered: ask a person who can be reached, else deny (also where empty); deny; or allow
	AskClient     string // where the user of an agent's client is asked to approve: local (also where empty), always or never
	Reach         Reach
	// Key gives a secret of 32 bytes that is not in the graph. Approvals are bound to their parameters with it, so servers that stand in for one
	// another have the same. NewStore gives one of this process.
	Key func() ([]byte, error)
	// ApprovalDelay is how long after a person's answer a grant takes effect; until then it can be undone.
	ApprovalDelay time.Duration

	graph    *graph.DB
	change   *change.Store
	gate     *gate.Store
	trace    *trace.Log
	contexts *search.Index

	// sought are the atlases in which callers were given contexts last: that saves waiting for the session, which says it anew.
	sought *lru.Cache[string, []string]

	finding *graph.Batcher[askedFor, map[askedFor]governed]
}

// DefaultApprovalDelay is long enough to see that one has granted what one did not mean to.
const DefaultApprovalDelay = 10 * time.Second

const knownCallers = 1000

// NewStore gives the store of a graph.
func NewStore(db *graph.DB, change *change.Store, gate *gate.Store, log *trace.Log, contexts *search.Index) *Store {
	sought, err := lru.New[string, []string](knownCallers)
	if err != nil { // the size is positive
		panic(err)
	}
	s := &Store{graph: db, change: change, gate: gate, trace: log, contexts: contexts, sought: sought, Key: ownKey(), ApprovalDelay: DefaultApprovalDelay}
	s.finding = graph.NewBatcher(s.find)
	return s
}
