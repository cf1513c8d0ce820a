package change

import (
	"context"

	"nomograph/cypher"
	"nomograph/graph"
	"nomograph/policies/history"
	"nomograph/policies/pack"
	"nomograph/policies/rule"
)

// setModes puts all rules of a pack that was just applied into one mode, as a change of the graph that applying again
// preserves. It returns how many rules changed.
func (s *Store) setModes(ctx context.Context, tx *graph.Tx, p pack.Pack, r ApplyRequest) (int, error) {
	nodes, err := lockNodes(ctx, tx, p)
	if err != nil {
		return 0, err
	}
	var ids []string
	var sets []any
	for _, node := range nodes {
		if node.Section == "policies" && node.Owner == p.Name && rule.IsGuardrail(node.Properties) && rule.GuardrailOf(node.Properties).Mode != r.Mode {
			if err := rule.AcceptMode(node.Key, r.Mode, node.Properties); err != nil {
				return 0, err
			}
			ids, sets = append(ids, node.ID), append(sets, map[string]any{"id": node.ID, "set": map[string]any{"mode": r.Mode}})
		}
	}
	if len(ids) == 0 {
		return 0, nil
	}
	if _, err := s.history.Record(ctx, tx, ids, history.Observed); err != nil {
		return 0, err
	}
	if err := tx.Run(ctx, cypher.NodesUpdate, graph.Params{"nodes": sets}); err != nil {
		return 0, err
	}
	why := r.Reason
	if why == "" {
		why = "pack " + p.Name + " in mode " + r.Mode
	}
	_, err = s.history.Record(ctx, tx, ids, history.Change{Kind: "applied", By: r.By, Why: why})
	return len(ids), err
}
