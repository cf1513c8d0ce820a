package attribution

import (
	"nomograph/decisions"
	"nomograph/graph"
	"nomograph/policies/check"
)

// Store proposes outcomes from git history.
type Store struct {
	graph     *graph.DB
	decisions *decisions.Store
	checks    *check.Store
}

// NewStore returns the store of a graph.
func NewStore(db *graph.DB, made *decisions.Store, rules *check.Store) *Store {
	return &Store{graph: db, decisions: made, checks: rules}
}
