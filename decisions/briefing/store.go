package briefing

import (
	"nomograph/decisions"
	"nomograph/decisions/attention"
	"nomograph/decisions/counters"
	"nomograph/decisions/precedents"
	"nomograph/graph"
	"nomograph/memory/recall"
	"nomograph/policies/circuit"
	"nomograph/policies/gate"
)

// Store says what to know before a session.
type Store struct {
	graph      *graph.DB
	decisions  *decisions.Store
	precedents *precedents.Store
	counters   *counters.Store
	attention  *attention.Store
	gate       *gate.Store
	circuit    *circuit.Store
	// Memory is what was said and done before; nil for none. It is set before the first call.
	Memory *recall.Store
}

// NewStore gives the store of a graph.
func NewStore(db *graph.DB, made *decisions.Store, found *precedents.Store, counted *counters.Store, pressing *attention.Store, rules *gate.Store, breakers *circuit.Store) *Store {
	return &Store{graph: db, decisions: made, precedents: found, counters: counted, attention: pressing, gate: rules, circuit: breakers}
}
