package conversations

import (
	"github.com/rs/zerolog"

	"nomograph/graph"
	"nomograph/memory"
	"nomograph/search"
)

// Store imports conversations into one graph.
type Store struct {
	graph  *graph.DB
	memory *memory.Store
	search *search.Index // index of chunks
	log    zerolog.Logger
	Most   int64 // maximum unpacked size of a file in bytes; 0 means transcripts.DefaultBytes
}

// NewStore returns a store for a graph.
func NewStore(db *graph.DB, made *memory.Store, chunks *search.Index, log zerolog.Logger) *Store {
	return &Store{graph: db, memory: made, search: chunks, log: log}
}
