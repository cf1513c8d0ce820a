package attribution

import (
	"nomograph/decisions"
	"nomograph/graph"
	"nomograph/policies/gate"
)

// Store proposes outcomes from git history.
type Store struct {
	graph     *graph.DB
	decisions *decisions.Store
	gate      *gate.Store
}

// NewStore returns the store of a graph.
func NewStore(db *graph.DB, made *decisions.Store, rules *gate.Store) *Store {
	return &Store{graph: db, decisions: made, gate: rules}
}
