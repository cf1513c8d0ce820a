package tokens

import (
	"nomograph/graph"
)

// Store has the tokens of one graph.
type Store struct {
	// Configured are the names of a server's tokens that are not in the graph. No token of the graph gets one of them, in any spelling: two
	// secrets would be one agent. It is set before the store is used.
	Configured []string

	graph *graph.DB
}

// NewStore gives the store of a graph.
func NewStore(db *graph.DB) *Store { return &Store{graph: db} }
