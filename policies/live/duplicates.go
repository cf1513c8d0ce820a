package live

import (
	"context"

	"nomograph/cypher"
	"nomograph/graph"
)

// Duplicate is a name that more than one node goes by.
type Duplicate struct {
	Label string `json:"label"`
	Name  any    `json:"name"`
	Nodes int    `json:"nodes"`
}

// Duplicates lists the names that a gate could not tell apart.
func (s *Store) Duplicates(ctx context.Context) ([]Duplicate, error) {
	return graph.All[Duplicate](ctx, s.graph, cypher.NamesTwice, nil)
}
