package tokens

import (
	"nomograph/graph"
)

// Store has the tokens of one graph.
type Store struct{ graph *graph.DB }

// NewStore gives the store of a graph.
func NewStore(db *graph.DB) *Store { return &Store{graph: db} }
