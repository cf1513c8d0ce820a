package circuit

import (
	"nomograph/graph"
	"nomograph/policies/check"
)

// Store reads and resets the circuit breakers of one graph.
type Store struct {
	graph  *graph.DB
	checks *check.Store
}

// NewStore returns the store of a graph.
func NewStore(db *graph.DB, rules *check.Store) *Store { return &Store{graph: db, checks: rules} }
