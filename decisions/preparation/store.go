package preparation

import (
	"nomograph/decisions"
	"nomograph/decisions/counters"
	"nomograph/decisions/precedents"
	"nomograph/graph"
	"nomograph/policies/check"
)

// Store checks and records actions with their context.
type Store struct {
	graph      *graph.DB
	decisions  *decisions.Store
	precedents *precedents.Store
	counters   *counters.Store
	checks     *check.Store
}

// NewStore returns the store of a graph.
func NewStore(db *graph.DB, made *decisions.Store, found *precedents.Store, counted *counters.Store,
	rules *check.Store) *Store {
	return &Store{graph: db, decisions: made, precedents: found, counters: counted, checks: rules}
}
