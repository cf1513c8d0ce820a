package memory

import (
	"context"
	"time"

	"nomograph/cypher"
	"nomograph/graph"
)

// Source counts the imported conversations of one source.
type Source struct {
	Source        string `json:"source"`
	Conversations int64  `json:"conversations"`
	Chunks        int64  `json:"chunks"`
}

// Stats describes the content of memory.
type Stats struct {
	Projects  int64     `json:"projects"`
	Chunks    int64     `json:"chunks"`
	Tokens    int64     `json:"tokens"`
	Passages  int64     `json:"passages" jsonschema:"number of vectors, one per passage"`
	Unindexed int64     `json:"unindexed" jsonschema:"number of chunks without vectors; found by full text only"`
	Marked    int64     `json:"pending" jsonschema:"number of sessions and decisions not yet in memory"`
	Forgotten int64     `json:"forgotten" jsonschema:"number of forgotten chunks"`
	FirstAt   time.Time `json:"first_at,omitzero"`
	LastAt    time.Time `json:"last_at,omitzero"`
	Sources   []Source  `json:"sources" jsonschema:"sources of imported conversations"`
}

// Stats returns statistics of memory. Its cost grows with the number of projects and imported conversations, not with
// the number of chunks.
func (s *Store) Stats(ctx context.Context) (Stats, error) {
	out, err := graph.One[Stats](ctx, s.graph, cypher.MemoryStats, nil)
	if err != nil {
		return Stats{}, err
	}
	out.Sources, err = graph.All[Source](ctx, s.graph, cypher.MemorySources, nil)
	return out, err
}
