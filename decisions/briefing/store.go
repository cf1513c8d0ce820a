package briefing

import (
	"nomograph/decisions"
	"nomograph/decisions/counters"
	"nomograph/decisions/insights"
	"nomograph/decisions/precedents"
	"nomograph/graph"
	"nomograph/memory/recall"
	"nomograph/policies/check"
)

// Store assembles session contexts.
type Store struct {
	graph      *graph.DB
	decisions  *decisions.Store
	precedents *precedents.Store
	counters   *counters.Store
	insights   *insights.Store
	checks     *check.Store
	// Memory searches earlier sessions; may be nil. It is set before the first call.
	Memory *recall.Store
}

// NewStore returns the store of a graph.
func NewStore(db *graph.DB, made *decisions.Store, found *precedents.Store, counted *counters.Store,
	learned *insights.Store, rules *check.Store) *Store {
	return &Store{graph: db, decisions: made, precedents: found, counters: counted, insights: learned, checks: rules}
}
