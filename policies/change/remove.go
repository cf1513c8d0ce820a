package change

import (
	"context"
	"encoding/json"
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
	Force  bool   `json:"force,omitempty" jsonschema:"remove the pack even if its nodes were edited or others link to them"`
	DryRun bool   `json:"dry_run,omitempty" jsonschema:"show the effect and change nothing"`
	By     string `json:"-"`
}

// PackRemoved lists removed nodes.
type PackRemoved struct {
	Pack    string   `json:"pack"`
	DryRun  bool     `json:"dry_run"`
	Removed []string `json:"removed"`
	Summary string   `json:"summary" jsonschema:"readable summary"`
}

// RemovePack removes a pack and all nodes it owns in one transaction. Versions and changes remain. It returns not_found
// with the existing names. Unless Force is set, it returns a conflict for a pack with nodes that were changed in the
// graph or that other nodes link to, and for an atlas on which other atlases depend.
func (s *Store) RemovePack(ctx context.Context, r PackRemoval) (result PackRemoved, err error) {
	err = s.write(ctx, r.DryRun, func(tx *graph.Tx) error {
		result = PackRemoved{Pack: r.Name, DryRun: r.DryRun}
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
		removed := pack.Pack{Name: r.Name}
		nodes, err := lockNodes(ctx, tx, removed)
		if err != nil {
			return err
		}
		changes := unnamedNodes(byKey(nodes), r.Name, ApplyOptions{Prune: true, Overwrite: true})
		if err := refuseIfChanged(ctx, tx, changes, r); err != nil {
			return err
		}
		for _, c := range changes {
			result.Removed = append(result.Removed, pack.NounOf(c.Section)+" "+c.Name)
		}
		slices.Sort(result.Removed)
		result.Summary = result.summary()
		w := s.writer(tx, removed, nodes, history.Removed(r.By, r.Reason))
		if err := w.write(ctx, changes); err != nil {
			return err
		}
		return tx.Run(ctx, cypher.PackRemove, graph.Params{"pack": r.Name})
	})
	return result, err
}

// refuseIfNeeded refuses to remove an atlas on which other atlases depend.
func refuseIfNeeded(ctx context.Context, tx *graph.Tx, r PackRemoval) error {
	atlas, ok := strings.CutPrefix(r.Name, "atlas:")
	if !ok || r.Force {
		return nil
	}
	rows, err := graph.All[struct{ ID, Dependencies string }](ctx, tx, cypher.AtlasesDependent,
		graph.Params{"atlas": atlas})
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
	return apperr.Newf(apperr.Conflict, "Cannot remove atlas '%s': '%s' depends on it", atlas,
		strings.Join(ids, "', '")).
		WithHint("Remove the dependent atlas first, or load it without the dependency. `force` removes the atlas anyway").With("atlases", ids)
}

// refuseIfChanged refuses to remove nodes that were changed in the graph, and nodes to which others link.
func refuseIfChanged(ctx context.Context, tx *graph.Tx, changes []PlannedChange, r PackRemoval) error {
	if r.Force {
		return nil
	}
	var why, names, ids []string
	byID := map[string]string{}
	refuse := func(name, reason string) { why, names = append(why, name+" "+reason), append(names, name) }
	for _, c := range changes {
		name := pack.NounOf(c.Section) + " " + c.Name
		byID[c.node.ID], ids = name, append(ids, c.node.ID)
		if c.node.hasDrift(nil) {
			refuse(name, "was changed in the graph")
		}
	}
	needed, err := graph.All[struct{ ID, By string }](ctx, tx, cypher.NodesNeeded, graph.Params{"ids": ids})
	if err != nil {
		return err
	}
	for _, n := range needed {
		refuse(byID[n.ID], "is linked from '"+n.By+"', which stays")
	}
	if len(why) == 0 {
		return nil
	}
	return apperr.Newf(apperr.Conflict, "The pack '%s' was not removed: %s", r.Name, strings.Join(why, ", ")).
		WithHint("Pass `force` to remove all of it; `export_pack` writes its current content first").
		With("nodes", names)
}

func (p PackRemoved) summary() string {
	done := "removed"
	if p.DryRun {
		done = "to remove"
	}
	return fmt.Sprintf("%s: %s %s\n", p.Pack, render.Plural(len(p.Removed), "node"), done)
}
