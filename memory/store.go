package memory

import (
	"context"

	"github.com/rs/zerolog"

	"nomograph/graph"
	"nomograph/search"
)

// Store makes chunks of what the graph records, and keeps count of them. It is safe for concurrent use, also by several processes on one graph.
type Store struct {
	graph  *graph.DB
	search *search.Index // of chunks
	log    zerolog.Logger
}

// NewStore gives the store of a graph.
func NewStore(db *graph.DB, chunks *search.Index, log zerolog.Logger) *Store {
	return &Store{graph: db, search: chunks, log: log}
}

// Wake says that sessions or decisions were marked. They become chunks in the background.
func (s *Store) Wake() {}

// Close ends what goes on in the background. What is left is done by whoever is woken next.
func (s *Store) Close(context.Context) {}
