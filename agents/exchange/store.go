package exchange

import (
	"sync"
	"time"

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

	mu sync.Mutex
	// by address: until when, by the database's clock, everything was sent; saves a query
	sentUntil map[string]time.Time
}

// NewStore returns the store of a graph.
func NewStore(db *graph.DB, p *peers.Store, c *counters.Store, log zerolog.Logger) *Store {
	return &Store{graph: db, peers: p, counters: c, log: log, sentUntil: map[string]time.Time{}}
}
