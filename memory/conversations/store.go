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
	search *search.Index // of chunks
	log    zerolog.Logger
	Most   int64 // bytes that a file may have, unpacked; 0: transcripts.DefaultBytes
}

// NewStore gives the store of a graph.
func NewStore(db *graph.DB, made *memory.Store, chunks *search.Index, log zerolog.Logger) *Store {
	return &Store{graph: db, memory: made, search: chunks, log: log}
}
