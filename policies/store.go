package policies

import (
	"crypto/ed25519"
	"sync/atomic"
	"time"

	"nomograph/graph"
)

// Store answers from one graph. Nothing is cached: a changed node is what the next read gives.
type Store struct {
	// Settings may be changed until the store is first used.
	Settings Settings
	// TableTimeout is for reading and evaluating a decision table; 0 means two seconds. It may be changed likewise.
	TableTimeout time.Duration

	graph     *graph.DB
	asked     atomic.Pointer[asked]
	reading   *rounds[struct{}, *RuleSet]
	keeping   *rounds[map[string]any, struct{}]
	compiler  *compiler
	tableRead atomic.Bool                         // whether this process has read a table
	trusted   func() ([]ed25519.PublicKey, error) // nil where packs need no signature
}

// NewStore gives the store of a graph.
func NewStore(db *graph.DB) *Store {
	s := &Store{graph: db, compiler: newCompiler(db)}
	s.reading, s.keeping = &rounds[struct{}, *RuleSet]{run: s.readRules}, &rounds[map[string]any, struct{}]{run: s.writeVerdicts}
	return s
}
