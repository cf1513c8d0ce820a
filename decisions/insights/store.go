package insights

import (
	"context"

	"nomograph/decisions"
	"nomograph/decisions/counters"
	"nomograph/graph"
	"nomograph/policies/circuit"
	"nomograph/policies/live"
)

// Selection selects decisions: fields shared by operations. Empty fields select all.
type Selection struct {
	Category string `json:"category,omitempty" rule:"enum=architecture|process|integration|tooling|security"`
	Project  string `json:"project,omitempty" jsonschema:"owner/repo" rule:"maxLength=200"`
}

// Store computes action items and summaries of one graph.
type Store struct {
	graph     *graph.DB
	decisions *decisions.Store
	counters  *counters.Store
	circuit   *circuit.Store
	live      *live.Store
	stale     func(context.Context) ([]string, error)
}

// NewStore returns the store of a graph. stale returns the uids of stale proposals.
func NewStore(db *graph.DB, made *decisions.Store, counted *counters.Store, breakers *circuit.Store,
	stale func(context.Context) ([]string, error)) *Store {
	return &Store{graph: db, decisions: made, counters: counted, circuit: breakers, live: live.NewStore(db),
		stale: stale}
}
