package briefing

import (
	"nomograph/decisions"
	"nomograph/decisions/counters"
	"nomograph/decisions/precedents"
	"nomograph/graph"
	"nomograph/memory/recall"
	"nomograph/policies/gate"
)

// Store says what to know before a session.
type Store struct {
	graph      *graph.DB
	decisions  *decisions.Store
	precedents *precedents.Store
	counters   *counters.Store
	gate       *gate.Store
	// Memory is what was said and done before; nil for none. It is set before the first call.
	Memory *recall.Store
}

// NewStore gives the store of a graph.
func NewStore(db *graph.DB, made *decisions.Store, found *precedents.Store, counted *counters.Store, rules *gate.Store) *Store {
	return &Store{graph: db, decisions: made, precedents: found, counters: counted, gate: rules}
}
