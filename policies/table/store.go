package table

import (
	"sync/atomic"
	"time"

	"nomograph/graph"
	"nomograph/policies/history"
)

// Store answers from the decision tables of one graph. Nothing is cached.
type Store struct {
	// Timeout is for reading and evaluating a decision table; 0 means two seconds. It may be changed until the store is first used.
	Timeout time.Duration

	graph   *graph.DB
	history *history.Store
	hasRead atomic.Bool // whether this process has read a table
}

// NewStore gives the store of a graph.
func NewStore(db *graph.DB) *Store { return &Store{graph: db, history: history.NewStore(db)} }
