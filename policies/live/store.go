package live

import (
	"context"
	"maps"
	"slices"

	"nomograph/cypher"
	"nomograph/graph"
	"nomograph/policies"
	"nomograph/policies/history"
)

// Store answers from one graph. Nothing is cached: a changed node is what the next read gives.
type Store struct {
	graph                *graph.DB
	history              *history.Store
	thresholds, policies batchReader
}

// NewStore gives the store of a graph.
func NewStore(db *graph.DB) *Store {
	return &Store{graph: db, history: history.NewStore(db), thresholds: namedBy(db, cypher.ThresholdByName), policies: namedBy(db, cypher.PolicyByName)}
}

// batchReader reads nodes by their names. Many who ask at once share a statement: what a read costs the server is hardly the node.
type batchReader struct {
	reading *graph.Batcher[[]string, map[string][]policies.Stored]
}

// namedBy reads by a statement that gives, of each of $names, the nodes of that name.
func namedBy(db *graph.DB, statement cypher.Statement) batchReader {
	return batchReader{graph.NewBatcher(func(ctx context.Context, asked [][]string) (map[string][]policies.Stored, error) {
		names := slices.Concat(asked...)
		slices.Sort(names)
		found, err := graph.All[policies.Stored](ctx, db, statement, graph.Params{"names": slices.Compact(names)})
		byName := map[string][]policies.Stored{}
		for _, node := range found {
			name, _ := node.Properties["name"].(string)
			byName[name] = append(byName[name], node)
		}
		return byName, err
	})}
}

// called gives the nodes of these names, as they are after it was asked.
func (n batchReader) called(ctx context.Context, names []string) ([]policies.Stored, error) {
	byName, err := n.reading.Do(ctx, names)
	var found []policies.Stored
	for _, name := range names {
		for _, node := range byName[name] {
			node.Properties = maps.Clone(node.Properties) // others have it too
			found = append(found, node)
		}
	}
	return found, err
}
