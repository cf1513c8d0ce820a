package proposals

import (
	"nomograph/graph"
	"nomograph/policies/cases"
	"nomograph/policies/change"
	"nomograph/policies/check"
	"nomograph/policies/lab"
)

// Store reads and writes the proposals of one graph.
type Store struct {
	// Scratch is the graph for test cases of packs that need one.
	Scratch cases.Scratch

	graph  *graph.DB
	checks *check.Store
	change *change.Store
	lab    *lab.Store
}

// NewStore returns the store of a graph.
func NewStore(db *graph.DB, g *check.Store, c *change.Store, l *lab.Store) *Store {
	return &Store{graph: db, checks: g, change: c, lab: l}
}
