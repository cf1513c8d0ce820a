package federation

import (
	"nomograph/agents"
	"nomograph/agents/peers"
	"nomograph/decisions/precedents"
	"nomograph/graph"
	"nomograph/policies/check"
	"nomograph/search"
)

// Store queries the peers of one graph.
type Store struct {
	graph      *graph.DB
	peers      *peers.Store
	agents     *agents.Store
	precedents *precedents.Store
	checks     *check.Store
	embedder   search.Embedder // may be nil
}

// NewStore returns the store of a graph. The embedder ranks titles of several servers; it may be nil.
func NewStore(db *graph.DB, p *peers.Store, a *agents.Store, found *precedents.Store, g *check.Store,
	e search.Embedder) *Store {
	return &Store{graph: db, peers: p, agents: a, precedents: found, checks: g, embedder: e}
}
