package sessions

import (
	"nomograph/graph"
	"nomograph/policies/change"
)

// Store keeps the atlases of one graph.
type Store struct {
	graph  *graph.DB
	change *change.Store
}

// NewStore gives the store of a graph.
func NewStore(db *graph.DB, change *change.Store) *Store { return &Store{graph: db, change: change} }
