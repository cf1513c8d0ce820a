package change

import (
	"cmp"
	"context"

	"nomograph/cypher"
	"nomograph/graph"
	"nomograph/policies/history"
	"nomograph/policies/pack"
	"nomograph/policies/rule"
)

// setModes puts all rules of a pack that was just applied into one mode, which applying again preserves. It returns how
// many rules changed.
func (s *Store) setModes(ctx context.Context, tx *graph.Tx, p pack.Pack, r ApplyRequest) (int, error) {
	nodes, err := lockNodes(ctx, tx, p)
	if err != nil {
		return 0, err
	}
	switched := 0
	var chosen []string
	sets := map[string]map[string]any{}
	for _, node := range nodes {
		if node.Section != "policies" || node.Owner != p.Name || !rule.IsGuardrail(node.Properties) {
			continue
		}
		if err := rule.AcceptMode(node.Key, r.Mode, node.Properties); err != nil {
			return 0, err
		}
		chosen = append(chosen, node.ID)
		if node.Properties["mode"] == any(r.Mode) {
			continue
		}
		sets[node.ID] = map[string]any{"mode": r.Mode}
		if rule.GuardrailOf(node.Properties).Mode != r.Mode { // a rule without a mode has the default mode
			switched++
		}
	}
	if err := s.chooseMode(ctx, tx, p, chosen, r.Mode); err != nil || len(sets) == 0 {
		return 0, err
	}
	return switched, s.update(ctx, tx, sets, history.Applied(r.By, cmp.Or(r.Reason, "pack "+p.Name+" in mode "+r.Mode)))
}

// chooseMode stores the mode that was chosen for nodes of a pack, so that it does not count as drift. An empty mode
// removes the choice.
func (s *Store) chooseMode(ctx context.Context, tx *graph.Tx, p pack.Pack, ids []string, mode string) error {
	if len(ids) == 0 {
		return nil
	}
	return tx.Run(ctx, cypher.PackModeChoose, graph.Params{"pack": p.Name, "ids": ids, "mode": graph.NullIfEmpty(mode)})
}
