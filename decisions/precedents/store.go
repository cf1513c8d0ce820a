package precedents

import (
	"nomograph/decisions"
	"nomograph/graph"
	"nomograph/search"
)

// Store finds decisions of one graph.
type Store struct {
	graph     *graph.DB
	decisions *decisions.Store
	search    *search.Index
}

// NewStore gives the store of a graph.
func NewStore(db *graph.DB, made *decisions.Store, index *search.Index) *Store {
	return &Store{graph: db, decisions: made, search: index}
}
