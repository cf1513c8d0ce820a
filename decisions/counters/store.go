package counters

import (
	"nomograph/decisions"
	"nomograph/decisions/precedents"
	"nomograph/graph"
)

// Store aggregates outcomes of one graph in the background and reads the aggregates.
type Store struct {
	graph      *graph.DB
	decisions  *decisions.Store
	precedents *precedents.Store
	counter    *counter
}

// NewStore returns the store of a graph.
func NewStore(db *graph.DB, made *decisions.Store, found *precedents.Store) *Store {
	return &Store{graph: db, decisions: made, precedents: found, counter: newCounter(db)}
}
