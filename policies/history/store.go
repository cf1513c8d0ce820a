package history

import "nomograph/graph"

// Store reads and writes the history of one graph.
type Store struct{ graph *graph.DB }

// NewStore returns the store of a graph.
func NewStore(db *graph.DB) *Store { return &Store{graph: db} }
