package change

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"nomograph/cypher"
	"nomograph/graph"
	"nomograph/internal/apperr"
	"nomograph/internal/render"
	"nomograph/policies/history"
	"nomograph/policies/pack"
)

// PackRemoval names a pack to remove.
type PackRemoval struct {
	Name   string `json:"name" jsonschema:"name of an applied pack" rule:"minLength=1,maxLength=200"`
	Reason string `json:"reason" jsonschema:"reason for the history" rule:"minLength=1,maxLength=2000"`
	Force  bool   `json:"force,omitempty" jsonschema:"also remove edited nodes and nodes that others link to"`
	DryRun bool   `json:"dry_run,omitempty" jsonschema:"show the effect and change nothing"`
	By     string `json:"-"`
}

// PackRemoved lists removed and preserved nodes.
type PackRemoved struct {
	Pack    string          `json:"pack"`
	DryRun  bool            `json:"dry_run"`
	Removed []string        `json:"removed"`
	Kept    []RemainingNode `json:"kept" jsonschema:"nodes that stay without an owner"`
	Summary string          `json:"summary" jsonschema:"readable summary"`
}

// RemainingNode is a node that stays when its pack is removed.
type RemainingNode struct {
	Node string `json:"node"`
	Why  string `json:"reason"`
}

// RemovePack removes a pack and the nodes it owns in one transaction. Changed nodes, and nodes that preserved nodes
// link to, stay without an owner unless Force is set. Versions and changes remain. It returns not_found with the
// existing names, and a conflict for an atlas on which other atlases depend, unless Force is set.
func (s *Store) RemovePack(ctx context.Context, r PackRemoval) (PackRemoved, error) {
	var result PackRemoved
	err := s.graph.Write(ctx, func(tx *graph.Tx) error {
		result = PackRemoved{Pack: r.Name, DryRun: r.DryRun, Removed: []string{}, Kept: []RemainingNode{}}
		if err := tx.Run(ctx, cypher.PacksLock, nil); err != nil {
			return err
		}
		found, err := graph.All[struct{ Version any }](ctx, tx, cypher.PackOwned, graph.Params{"pack": r.Name})
		if err != nil {
			return err
		}
		if len(found) == 0 {
			return s.pack.NotFoundError(ctx, r.Name)
		}
		if err := refuseIfNeeded(ctx, tx, r); err != nil {
			return err
		}
		pack := pack.Pack{Name: r.Name}
		nodes, err := lockNodes(ctx, tx, pack)
		if err != nil {
			return err
		}
		changes, err := result.decide(ctx, tx, nodes, r)
		if err != nil {
			return err
		}
		w := &writer{store: s, tx: tx, pack: pack, made: history.Change{Kind: "removed", By: r.By, Why: r.Reason}, ids: map[string]string{}, applied: map[string]string{}}
		for _, node := range nodes {
			w.ids[node.Section+" "+node.Key] = node.ID
		}
		if err := w.write(ctx, changes); err != nil {
			return err
		}
		if err := tx.Run(ctx, cypher.PackRemove, graph.Params{"pack": r.Name}); err != nil {
			return err
		}
		result.Summary = result.summary()
		if r.DryRun {
			return errDryRun
		}
		return nil
	})
	if errors.Is(err, errDryRun) {
		err = nil
	}
	return result, err
}

// refuseIfNeeded refuses to remove an atlas on which other atlases depend.
func refuseIfNeeded(ctx context.Context, tx *graph.Tx, r PackRemoval) error {
	atlas, ok := strings.CutPrefix(r.Name, "atlas:")
	if !ok || r.Force {
		return nil
	}
	rows, err := graph.All[struct{ ID, Dependencies string }](ctx, tx, cypher.AtlasesDependent, graph.Params{"atlas": atlas})
	if err != nil {
		return err
	}
	var ids []string
	for _, row := range rows {
		var needs map[string]any
		_ = json.Unmarshal([]byte(row.Dependencies), &needs) // invalid JSON written by others is ignored
		if _, needed := needs[atlas]; needed {
			ids = append(ids, row.ID)
		}
	}
	if len(ids) == 0 {
		return nil
	}
	return apperr.Newf(apperr.Conflict, "Cannot remove atlas '%s': '%s' depends on it", atlas, strings.Join(ids, "', '")).
		WithHint("Remove the dependent atlas first, or load it without the dependency. `force` removes the atlas anyway").With("atlases", ids)
}

// decide decides which nodes are removed.
func (p *PackRemoved) decide(ctx context.Context, tx *graph.Tx, nodes []graphNode, r PackRemoval) ([]PlannedChange, error) {
	byKey := map[string][]*graphNode{}
	for i := range nodes {
		id := nodes[i].Section + " " + nodes[i].Key
		byKey[id] = append(byKey[id], &nodes[i])
	}
	changes := unnamedNodes(byKey, r.Name, true)
	why := map[string]string{}
	for _, c := range changes {
		if c.Action == "release" {
			why[c.node.ID] = "it was changed in the graph"
		}
	}
	for more := !r.Force; more; { // preserved nodes may link to others
		var going []string
		for _, c := range changes {
			if why[c.node.ID] == "" {
				going = append(going, c.node.ID)
			}
		}
		needed, err := graph.All[struct{ ID, By string }](ctx, tx, cypher.NodesNeeded, graph.Params{"ids": going})
		if err != nil {
			return nil, err
		}
		for _, n := range needed {
			why[n.ID] = fmt.Sprintf("'%s', which stays, is linked to it", n.By)
		}
		more = len(needed) > 0
	}
	for i := range changes {
		c := &changes[i]
		name := pack.NounOf(c.Section) + " " + c.Name
		if c.Action = "remove"; why[c.node.ID] != "" && !r.Force {
			c.Action = "release"
			p.Kept = append(p.Kept, RemainingNode{name, why[c.node.ID]})
			continue
		}
		p.Removed = append(p.Removed, name)
	}
	slices.Sort(p.Removed)
	return changes, nil
}

func (p PackRemoved) summary() string {
	var b strings.Builder
	done := "removed"
	if p.DryRun {
		done = "to remove"
	}
	fmt.Fprintf(&b, "%s: %s %s, %d kept\n", p.Pack, render.Plural(len(p.Removed), "node"), done, len(p.Kept))
	for _, remaining := range p.Kept {
		fmt.Fprintf(&b, "  %s: kept, because %s (--force removes it)\n", remaining.Node, remaining.Why)
	}
	return b.String()
}
