package policies

import (
	"crypto/ed25519"
	"sync/atomic"

	"github.com/google/uuid"
	lru "github.com/hashicorp/golang-lru/v2"

	"nomograph/graph"
)

// Store answers from one graph. Nothing is cached: a changed node is what the next read gives.
type Store struct {
	// Settings may be changed until the store is first used.
	Settings Settings

	graph   *graph.DB
	asked   atomic.Pointer[asked]
	reading *rounds[struct{}, *inForce]
	keeping *rounds[map[string]any, struct{}]
	digests *lru.Cache[string, digested]
	planned *lru.Cache[string, struct{}] // patterns of circuit breakers that were asked before
	newID   func() string
	trusted func() ([]ed25519.PublicKey, error) // nil where packs need no signature
}

const remembered = 5000 // digests, at least

// NewStore gives the store of a graph.
func NewStore(db *graph.DB) *Store {
	digests, err := lru.New[string, digested](remembered)
	if err != nil { // the size is positive
		panic(err)
	}
	planned, err := lru.New[string, struct{}](remembered)
	if err != nil { // likewise
		panic(err)
	}
	s := &Store{graph: db, digests: digests, planned: planned, newID: func() string { return uuid.Must(uuid.NewV7()).String() }}
	s.reading, s.keeping = &rounds[struct{}, *inForce]{run: s.readRules}, &rounds[map[string]any, struct{}]{run: s.writeVerdicts}
	return s
}
