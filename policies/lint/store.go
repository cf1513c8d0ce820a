package lint

import "nomograph/graph"

// Store lints the rules of one graph.
type Store struct{ graph *graph.DB }

// NewStore returns the store of a graph.
func NewStore(db *graph.DB) *Store { return &Store{graph: db} }
