package exchange

import (
	"sync"

	"github.com/rs/zerolog"

	"nomograph/agents/peers"
	"nomograph/decisions/counters"
	"nomograph/graph"
)

// Store exchanges shared decisions for one graph.
type Store struct {
	graph    *graph.DB
	peers    *peers.Store
	counters *counters.Store
	log      zerolog.Logger

	sentUntil sync.Map // by address: until when, by the database's clock, everything was sent; saves a query
}

// NewStore returns the store of a graph.
func NewStore(db *graph.DB, p *peers.Store, c *counters.Store, log zerolog.Logger) *Store {
	return &Store{graph: db, peers: p, counters: c, log: log}
}
