package attention

import (
	"nomograph/decisions"
	"nomograph/decisions/counters"
	"nomograph/graph"
	"nomograph/policies/circuit"
	"nomograph/policies/live"
)

// Selection is which decisions are looked at: fields that operations share. What is empty leaves all.
type Selection struct {
	Category string `json:"category,omitempty" rule:"enum=architecture|process|integration|tooling|security"`
	Project  string `json:"project,omitempty" jsonschema:"owner/repo" rule:"maxLength=200"`
}

// Store reads what presses in one graph.
type Store struct {
	graph     *graph.DB
	decisions *decisions.Store
	counters  *counters.Store
	circuit   *circuit.Store
	live      *live.Store
}

// NewStore gives the store of a graph.
func NewStore(db *graph.DB, made *decisions.Store, counted *counters.Store, breakers *circuit.Store) *Store {
	return &Store{graph: db, decisions: made, counters: counted, circuit: breakers, live: live.NewStore(db)}
}
