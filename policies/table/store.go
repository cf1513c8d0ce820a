package table

import (
	"sync/atomic"
	"time"

	"nomograph/graph"
	"nomograph/policies/history"
)

// Store evaluates the decision tables of one graph. Nothing is cached.
type Store struct {
	// Timeout is for reading and evaluating a decision table; 0 means two seconds. It may be changed until the store
	// is first used.
	Timeout time.Duration

	graph   *graph.DB
	history *history.Store
	planned atomic.Int64 // number of connection losses at the last read, plus 1; 0 before the first read
}

// NewStore returns the store of a graph.
func NewStore(db *graph.DB) *Store { return &Store{graph: db, history: history.NewStore(db)} }
