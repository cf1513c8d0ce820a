package tokens

import (
	"nomograph/graph"
)

// Store manages the tokens of one graph.
type Store struct {
	// Configured holds the names of tokens from the configuration. No token of the graph gets such a name, in any
	// spelling: two secrets would be one agent. It is set before the store is used.
	Configured []string

	graph *graph.DB
}

// NewStore returns the store of a graph.
func NewStore(db *graph.DB) *Store { return &Store{graph: db} }
