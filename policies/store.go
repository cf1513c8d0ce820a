package policies

import (
	"crypto/ed25519"
	"sync/atomic"

	"nomograph/graph"
)

// Store answers from one graph. Nothing is cached: a changed node is what the next read gives.
type Store struct {
	// Settings may be changed until the store is first used.
	Settings Settings

	graph    *graph.DB
	asked    atomic.Pointer[asked]
	reading  *rounds[struct{}, *RuleSet]
	keeping  *rounds[map[string]any, struct{}]
	compiler *compiler
	trusted  func() ([]ed25519.PublicKey, error) // nil where packs need no signature
}

// NewStore gives the store of a graph.
func NewStore(db *graph.DB) *Store {
	s := &Store{graph: db, compiler: newCompiler(db)}
	s.reading, s.keeping = &rounds[struct{}, *RuleSet]{run: s.readRules}, &rounds[map[string]any, struct{}]{run: s.writeVerdicts}
	return s
}
