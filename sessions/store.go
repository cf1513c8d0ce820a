package sessions

import (
	"nomograph/graph"
	"nomograph/policies/change"
	"nomograph/search"
	"nomograph/trace"
)

// Store keeps the atlases of one graph, and gives their contexts in sessions.
type Store struct {
	Workspace string // where this process works: with the agent, it selects the ambient session

	graph    *graph.DB
	change   *change.Store
	trace    *trace.Log
	contexts *search.Index
}

// NewStore gives the store of a graph.
func NewStore(db *graph.DB, change *change.Store, log *trace.Log, contexts *search.Index) *Store {
	return &Store{graph: db, change: change, trace: log, contexts: contexts}
}
