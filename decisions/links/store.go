package links

import (
	"nomograph/decisions"
	"nomograph/graph"
	"nomograph/policies/live"
)

// Store links decisions of one graph and traverses the links.
type Store struct {
	graph     *graph.DB
	decisions *decisions.Store
	live      *live.Store
}

// NewStore returns the store of a graph.
func NewStore(db *graph.DB, made *decisions.Store) *Store {
	return &Store{graph: db, decisions: made, live: live.NewStore(db)}
}
