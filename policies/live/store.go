package live

import (
	"context"
	"maps"

	"nomograph/cypher"
	"nomograph/graph"
	"nomograph/internal/lists"
	"nomograph/policies"
	"nomograph/policies/history"
)

// Store reads one graph without a cache, so that every read returns the latest state.
type Store struct {
	graph                *graph.DB
	history              *history.Store
	thresholds, policies batchReader
}

// NewStore returns the store of a graph.
func NewStore(db *graph.DB) *Store {
	return &Store{graph: db, history: history.NewStore(db), thresholds: readerByName(db, cypher.ThresholdByName),
		policies: readerByName(db, cypher.PolicyByName)}
}

// batchReader reads nodes by name. Concurrent reads share a statement, because most of the cost is per statement.
type batchReader struct {
	reading *graph.Batcher[[]string, map[string][]policies.Stored]
}

// readerByName returns a reader for a statement that returns the nodes of $names.
func readerByName(db *graph.DB, statement cypher.Statement) batchReader {
	return batchReader{graph.NewBatcher(func(ctx context.Context, asked [][]string) (map[string][]policies.Stored,
		error) {
		found, err := graph.All[policies.Stored](ctx, db, statement, graph.Params{"names": lists.Union(asked...)})
		byName := map[string][]policies.Stored{}
		for _, node := range found {
			name, _ := node.Properties["name"].(string)
			byName[name] = append(byName[name], node)
		}
		return byName, err
	})}
}

// byName returns the nodes with these names, as of now or later.
func (n batchReader) byName(ctx context.Context, names []string) ([]policies.Stored, error) {
	byName, err := n.reading.Do(ctx, names)
	var found []policies.Stored
	for _, name := range names {
		for _, node := range byName[name] {
			node.Properties = maps.Clone(node.Properties) // shared with other callers
			found = append(found, node)
		}
	}
	return found, err
}

// read returns the node of a policy or threshold, nil if there is none, and whether it is the one for the scope.
func (s *Store) read(ctx context.Context, of Watched) (node *policies.Stored, source string, err error) {
	reader := s.thresholds
	if of.Kind == policies.KindPolicy {
		reader = s.policies
	}
	found, err := reader.byName(ctx, policies.NamesFor(of.Name, of.Scope))
	if err != nil {
		return nil, "", err
	}
	return policies.Pick(policies.LabelsOfKinds[of.Kind], of.Name, of.Scope, found)
}
