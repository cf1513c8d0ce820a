package recall

import (
	"sync"
	"time"

	"nomograph/graph"
	"nomograph/search"
)

// Settings of a store. They may be changed until it is first used.
type Settings struct {
	MostTokens int // of an answer, by cl100k_base; 0 means DefaultTokens
}

// DefaultTokens is what an answer has at most, unless it is set: tokens.mcpMaxResponse.
const DefaultTokens = 2000

// MinTokens is the smallest budget in which there is room for something that was found.
const MinTokens = 100

// Store asks the memory of one graph. It is safe for concurrent use.
type Store struct {
	Settings Settings

	graph  *graph.DB
	chunks *search.Index
	now    func() time.Time
	desks  sync.Pool
}

// NewStore gives the store of a graph, with the index of its chunks.
func NewStore(db *graph.DB, chunks *search.Index) *Store {
	return &Store{graph: db, chunks: chunks, now: time.Now}
}
