package sessions

import (
	"nomograph/graph"
	"nomograph/policies/change"
	"nomograph/policies/gate"
	"nomograph/search"
	"nomograph/trace"
)

// Store keeps the atlases of one graph, gives their contexts in sessions, and judges what agents report there.
type Store struct {
	Workspace     string // where this process works: with the agent, it selects the ambient session
	UnknownAction string // how an action that no rule knows is answered: ask (also where empty), deny or allow
	AskClient     string // where the user of an agent's client is asked to approve: local (also where empty), always or never

	graph    *graph.DB
	change   *change.Store
	gate     *gate.Store
	trace    *trace.Log
	contexts *search.Index
}

// NewStore gives the store of a graph.
func NewStore(db *graph.DB, change *change.Store, gate *gate.Store, log *trace.Log, contexts *search.Index) *Store {
	return &Store{graph: db, change: change, gate: gate, trace: log, contexts: contexts}
}
