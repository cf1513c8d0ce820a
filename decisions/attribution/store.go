package attribution

import (
	"nomograph/decisions"
	"nomograph/graph"
	"nomograph/policies/gate"
)

// Store proposes outcomes of the decisions of one graph, by the history of git.
type Store struct {
	graph     *graph.DB
	decisions *decisions.Store
	gate      *gate.Store
}

// NewStore gives the store of a graph.
func NewStore(db *graph.DB, made *decisions.Store, rules *gate.Store) *Store {
	return &Store{graph: db, decisions: made, gate: rules}
}
