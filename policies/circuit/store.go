package circuit

import (
	"nomograph/graph"
	"nomograph/policies/gate"
)

// Store reads and resets the circuit breakers of one graph.
type Store struct {
	graph *graph.DB
	gate  *gate.Store
}

// NewStore returns the store of a graph.
func NewStore(db *graph.DB, rules *gate.Store) *Store { return &Store{graph: db, gate: rules} }
