package imports

import (
	"nomograph/decisions"
	"nomograph/graph"
	"nomograph/search"
)

// Store imports decisions into one graph.
type Store struct {
	graph     *graph.DB
	decisions *decisions.Store
	search    *search.Index
}

// NewStore returns the store of a graph.
func NewStore(db *graph.DB, made *decisions.Store, index *search.Index) *Store {
	return &Store{graph: db, decisions: made, search: index}
}
