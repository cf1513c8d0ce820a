package live

import (
	"context"

	"nomograph/cypher"
	"nomograph/graph"
)

// Duplicate is a name of several nodes.
type Duplicate struct {
	Label string `json:"label"`
	Name  any    `json:"name"`
	Nodes int    `json:"nodes"`
}

// Duplicates lists duplicate names.
func (s *Store) Duplicates(ctx context.Context) ([]Duplicate, error) {
	return graph.All[Duplicate](ctx, s.graph, cypher.NamesDuplicate, nil)
}
