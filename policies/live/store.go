package live

import (
	"nomograph/graph"
	"nomograph/policies/history"
)

// Store answers from one graph. Nothing is cached: a changed node is what the next read gives.
type Store struct {
	graph   *graph.DB
	history *history.Store
}

// NewStore gives the store of a graph.
func NewStore(db *graph.DB) *Store { return &Store{graph: db, history: history.NewStore(db)} }
