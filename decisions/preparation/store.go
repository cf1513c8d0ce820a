package preparation

import (
	"nomograph/decisions"
	"nomograph/decisions/counters"
	"nomograph/decisions/precedents"
	"nomograph/graph"
	"nomograph/policies/gate"
)

// Store checks and records actions with their context.
type Store struct {
	graph      *graph.DB
	decisions  *decisions.Store
	precedents *precedents.Store
	counters   *counters.Store
	gate       *gate.Store
}

// NewStore returns the store of a graph.
func NewStore(db *graph.DB, made *decisions.Store, found *precedents.Store, counted *counters.Store, rules *gate.Store) *Store {
	return &Store{graph: db, decisions: made, precedents: found, counters: counted, gate: rules}
}
