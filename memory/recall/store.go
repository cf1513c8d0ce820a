package recall

import (
	"sync"
	"time"

	"nomograph/graph"
	"nomograph/internal/tokencount"
	"nomograph/policies/check"
	"nomograph/search"
)

// Settings configure a store. They may be changed until the store is first used.
type Settings struct {
	MaxTokens int // maximum tokens of an answer (cl100k_base); 0 means DefaultTokens
}

// DefaultTokens is the default token budget of an answer (setting tokens.mcpMaxResponse).
const DefaultTokens = 2000

// MinTokens is the smallest token budget that has room for a result.
const MinTokens = 100

// Store queries the memory of one graph. It is safe for concurrent use.
type Store struct {
	Settings Settings

	graph    *graph.DB
	chunks   *search.Index
	checks   *check.Store
	now      func() time.Time
	counters sync.Pool // of *tokencount.Counter
}

// NewStore returns a store for a graph, the index of its chunks, and the verdicts that chunks mention.
func NewStore(db *graph.DB, chunks *search.Index, checks *check.Store) *Store {
	return &Store{graph: db, chunks: chunks, checks: checks, now: time.Now,
		counters: sync.Pool{New: func() any { return tokencount.NewCounter() }}}
}
