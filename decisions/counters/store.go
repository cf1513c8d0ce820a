package counters

import (
	"nomograph/decisions"
	"nomograph/decisions/precedents"
	"nomograph/graph"
)

// Store counts how the decisions of one graph turned out, behind the answers, and reads what was counted.
type Store struct {
	graph      *graph.DB
	decisions  *decisions.Store
	precedents *precedents.Store
	counter    *counter
}

// NewStore gives the store of a graph.
func NewStore(db *graph.DB, made *decisions.Store, found *precedents.Store) *Store {
	return &Store{graph: db, decisions: made, precedents: found, counter: newCounter(db)}
}
