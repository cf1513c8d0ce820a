package change

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"nomograph/cypher"
	"nomograph/graph"
	"nomograph/internal/uid"
	"nomograph/policies"
	"nomograph/policies/history"
	"nomograph/policies/pack"
)

// writer executes a plan, with one statement for each kind of write.
type writer struct {
	store   *Store
	tx      *graph.Tx
	pack    pack.Pack
	made    history.Change    // entry of the history
	newText bool              // the pack's text differs from the last applied one
	had     packContents      // previous contents of the pack; nil if unchanged
	ids     map[string]string // element ids by "section key"
	applied map[string]string // last applied state of each node of the pack

	create, update, own []any
	makeLinks, cutLinks []any
	remove              []string
}

// writer returns a writer of changes to nodes that were read and locked.
func (s *Store) writer(tx *graph.Tx, p pack.Pack, nodes []graphNode, made history.Change) *writer {
	w := &writer{store: s, tx: tx, pack: p, made: made, ids: map[string]string{}, applied: map[string]string{}}
	for _, node := range nodes {
		id := node.Section + " " + node.Key
		if w.ids[id] = node.ID; node.Owner == p.Name {
			w.applied[id] = node.Applied
		}
	}
	return w
}

func (w *writer) write(ctx context.Context, changes []PlannedChange) error {
	for _, c := range changes {
		if c.Action == "create" {
			properties := maps.Clone(c.properties)
			properties["uid"], properties["schema_version"] = uid.New(), 1
			w.create = append(w.create, map[string]any{"section": c.Section, "key": c.Name,
				"label": c.item.Section.Label, "properties": properties})
		}
	}
	if _, err := w.store.history.Record(ctx, w.tx, w.nodesWithVersions(changes), history.Observed); err != nil {
		return err
	}
	if len(w.create) > 0 {
		created, err := graph.All[struct{ Section, Key, ID string }](ctx, w.tx, cypher.NodesCreate,
			graph.Params{"nodes": w.create})
		if err != nil {
			return err
		}
		for _, node := range created {
			w.ids[node.Section+" "+node.Key] = node.ID
		}
	}
	for _, c := range changes {
		w.collect(c)
	}
	// Unchanged nodes get it, too: the current content is the base of the next comparison.
	for _, item := range w.pack.Items {
		if w.pack.Name == "" { // a revert does not change ownership
			break
		}
		id := item.Section.Name + " " + item.Key
		if says := policies.Canonical(item.Properties, item.LinkTexts(), nil); w.applied[id] != says {
			if w.ids[id] == "" { // deleted manually
				continue
			}
			w.own = append(w.own, map[string]any{"id": w.ids[id], "section": item.Section.Name, "key": item.Key,
				"applied": says})
		}
	}
	if err := w.storeContents(ctx, changes); err != nil {
		return err
	}
	return w.send(ctx, w.nodesWithVersions(changes))
}

// storeContents stores the contents of the pack if they changed.
func (w *writer) storeContents(ctx context.Context, changes []PlannedChange) error {
	if w.had == nil {
		return nil
	}
	now := packContents{}
	for i := range w.pack.Items {
		item := &w.pack.Items[i]
		now[item.Section.Name+" "+item.Key] = hashOf(item)
	}
	for _, c := range changes {
		switch id := c.Section + " " + c.Name; {
		case c.Action == "left":
			now[id] = cmp.Or(w.had[id], removedItemHash)
		case c.Action == "drift" && c.Deleted:
			now[id] = w.had[id]
		}
	}
	if maps.Equal(now, w.had) {
		return nil
	}
	return w.tx.Run(ctx, cypher.PackContentsStore, graph.Params{"pack": w.pack.Name, "brought": now.entries()})
}

// removedItemHash replaces the unknown hash of a removed item. No item has this hash.
const removedItemHash = "0000000000000000000000000000000000000000000000000000000000000000"

// nodesWithVersions returns the element ids of the nodes with a new version: a row belongs to its table.
func (w *writer) nodesWithVersions(changes []PlannedChange) []string {
	ids := map[string]bool{}
	for _, c := range changes {
		key := c.Section + " " + c.Name
		switch {
		case c.Action == "drift", c.Action == "left":
			continue
		case c.Section == "decision_rows":
			table, _ := c.nodeProperties()["table_id"].(string)
			key = "decision_tables " + table
		}
		if id := w.ids[key]; id != "" {
			ids[id] = true
		}
	}
	return slices.Sorted(maps.Keys(ids))
}

// nodeProperties returns the properties of the changed node.
func (c PlannedChange) nodeProperties() map[string]any {
	if c.node != nil {
		return c.node.Properties
	}
	return c.properties
}

func (w *writer) collect(c PlannedChange) {
	switch c.Action {
	case "drift", "left":
	case "remove":
		w.remove = append(w.remove, c.node.ID)
	case "create":
		for _, link := range c.item.Links {
			w.makeLinks = append(w.makeLinks, w.link(w.ids[c.Section+" "+c.Name], link))
		}
	default: // update and adopt
		set := map[string]any{}
		for key := range c.To {
			set[key] = c.properties[key]
		}
		w.update = append(w.update, map[string]any{"id": c.node.ID, "set": set})
		for _, link := range c.missing {
			w.makeLinks = append(w.makeLinks, w.link(c.node.ID, link))
		}
		for _, link := range c.cut {
			w.cutLinks = append(w.cutLinks, map[string]any{"from": c.node.ID, "type": link.Type, "to": link.ID})
		}
	}
}

func (w *writer) link(from string, link pack.Link) map[string]any {
	return map[string]any{"from": from, "type": link.Type, "to": w.ids[link.Section+" "+link.Key]}
}

func (w *writer) send(ctx context.Context, versioned []string) error {
	if len(w.remove) > 0 {
		removed := w.made
		removed.Kind = "removed"
		if err := w.store.history.RecordRemoved(ctx, w.tx, w.remove, removed); err != nil {
			return err
		}
	}
	for _, step := range []struct {
		statement cypher.Statement
		key       string
		rows      []any
	}{{cypher.NodesUpdate, "nodes", w.update}, {cypher.NodesRemove, "ids", graph.List(w.remove)},
		{cypher.LinksRemove, "links", w.cutLinks},
		{cypher.LinksCreate, "links", w.makeLinks}, {cypher.PackOwn, "nodes", w.own}} {
		if len(step.rows) == 0 {
			continue
		}
		if err := w.tx.Run(ctx, step.statement, graph.Params{step.key: step.rows, "pack": w.pack.Name}); err != nil {
			return err
		}
	}
	if w.newText {
		if err := w.tx.Run(ctx, cypher.PackRecord, graph.Params{"pack": w.pack.Name, "version": w.pack.Version,
			"description": w.pack.Description,
			"checksum":    w.pack.Checksum, "by": w.made.By}); err != nil {
			return err
		}
	}
	_, err := w.store.history.Record(ctx, w.tx, versioned, w.made)
	return err
}
