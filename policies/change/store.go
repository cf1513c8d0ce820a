package change

import (
	"context"
	"crypto/ed25519"
	"errors"
	"maps"
	"slices"

	"nomograph/cypher"
	"nomograph/graph"
	"nomograph/policies"
	"nomograph/policies/history"
	"nomograph/policies/pack"
)

// Store changes the policies, thresholds and tables of one graph, and records each change.
type Store struct {
	graph   *graph.DB
	history *history.Store
	pack    *pack.Store
	trusted func() ([]ed25519.PublicKey, error) // nil if packs need no signature
}

// errDryRun rolls back: a dry run differs from a real run only in the commit, so it shows exactly what would happen.
var errDryRun = errors.New("dry run")

// write runs work in one transaction, which a dry run rolls back.
func (s *Store) write(ctx context.Context, dryRun bool, work func(tx *graph.Tx) error) error {
	err := s.graph.Write(ctx, func(tx *graph.Tx) error {
		if err := work(tx); err != nil || !dryRun {
			return err
		}
		return errDryRun
	})
	if errors.Is(err, errDryRun) {
		return nil
	}
	return err
}

// writeResult is write for work that has a result.
func writeResult[T any](ctx context.Context, s *Store, dryRun bool,
	work func(tx *graph.Tx) (T, error)) (made T, err error) {
	err = s.write(ctx, dryRun, func(tx *graph.Tx) (err error) {
		made, err = work(tx)
		return err
	})
	return made, err
}

// take finds and locks a policy or threshold.
func (s *Store) take(ctx context.Context, tx *graph.Tx, label, name, scope string) (node *policies.Stored, err error) {
	byName, names := cypher.PolicyByName, cypher.PolicyNames
	if label == "SYS_Threshold" {
		byName, names = cypher.ThresholdByName, cypher.ThresholdNames
	}
	for range 2 { // read again under the lock, so that no concurrent change is lost
		found, err := graph.All[policies.Stored](ctx, tx, byName, graph.Params{"names": policies.NamesFor(name, scope)})
		if err != nil {
			return nil, err
		}
		if node, _, err = policies.Pick(label, name, scope, found); err != nil {
			return nil, err
		}
		if node == nil {
			return nil, policies.NotFound(ctx, s.graph, label, name, names)
		}
		if err := history.Lock(ctx, tx, []string{node.ID}); err != nil {
			return nil, err
		}
	}
	return node, nil
}

// update sets properties of nodes, each by its element id, and records the change. Manual edits are recorded before it.
func (s *Store) update(ctx context.Context, tx *graph.Tx, sets map[string]map[string]any, made history.Change) error {
	ids, nodes := slices.Sorted(maps.Keys(sets)), []any{}
	for _, id := range ids {
		nodes = append(nodes, map[string]any{"id": id, "set": sets[id]})
	}
	if _, err := s.history.Record(ctx, tx, ids, history.Observed); err != nil {
		return err
	}
	if err := tx.Run(ctx, cypher.NodesUpdate, graph.Params{"nodes": nodes}); err != nil {
		return err
	}
	_, err := s.history.Record(ctx, tx, ids, made)
	return err
}

// NewStore returns the store of a graph.
func NewStore(db *graph.DB) *Store {
	return &Store{graph: db, history: history.NewStore(db), pack: pack.NewStore(db)}
}
