package change

import (
	"crypto/ed25519"

	"nomograph/graph"
	"nomograph/policies/history"
	"nomograph/policies/pack"
)

// Store changes the policies, thresholds and tables of one graph, and records each change.
type Store struct {
	graph   *graph.DB
	history *history.Store
	pack    *pack.Store
	trusted func() ([]ed25519.PublicKey, error) // nil if packs need no signature
}

// NewStore returns the store of a graph.
func NewStore(db *graph.DB) *Store {
	return &Store{graph: db, history: history.NewStore(db), pack: pack.NewStore(db)}
}
