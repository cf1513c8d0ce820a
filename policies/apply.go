package policies

import (
	"context"
	"errors"
	"maps"
	"slices"

	"nomograph/cypher"
	"nomograph/graph"
)

// ApplyOptions say how far applying may go.
type ApplyOptions struct {
	Adopt     bool `json:"adopt,omitempty" jsonschema:"take over nodes that the pack does not own"`
	Overwrite bool `json:"overwrite,omitempty" jsonschema:"reset values that were changed in the graph"`
	Prune     bool `json:"prune,omitempty" jsonschema:"remove nodes that left the pack"`
	DryRun    bool `json:"dry_run,omitempty" jsonschema:"only show what would change"`
}

// ApplyRequest asks for packs to be applied, all or none.
type ApplyRequest struct {
	Packs  []PackSource `json:"packs" rule:"minItems=1,maxItems=50"`
	Reason string       `json:"reason,omitempty" jsonschema:"why, for the history" rule:"maxLength=2000"`
	ApplyOptions
	By string `json:"-"`
}

// ApplyResult says what applying changed, pack by pack.
type ApplyResult struct {
	DryRun  bool          `json:"dry_run"`
	Packs   []PackApplied `json:"packs"`
	Summary string        `json:"summary" jsonschema:"the same, for a person"`
}

// PackApplied is the outcome for one pack.
type PackApplied struct {
	Pack      string          `json:"pack"`
	Version   string          `json:"version"`
	Changes   []PlannedChange `json:"changes"`
	Unchanged int             `json:"unchanged"`
}

// Apply brings packs into the graph in one transaction; applied again, it changes nothing. It returns a validation_error
// with line and column for a broken pack, not_found for a pack that is not shipped, permission_denied for one that is not
// signed as RequireSignatures asks, and a conflict where a pack names nodes that it does not own. On any error the graph is
// as before.
func (s *Store) Apply(ctx context.Context, r ApplyRequest) (ApplyResult, error) {
	if err := s.checkSignatures(r.Packs); err != nil {
		return ApplyResult{}, err
	}
	packs, err := parsePacks(ctx, r.Packs)
	if err != nil {
		return ApplyResult{}, err
	}
	var result ApplyResult
	err = s.graph.Write(ctx, func(tx *graph.Tx) error {
		result = ApplyResult{DryRun: r.DryRun, Packs: []PackApplied{}}
		for _, pack := range packs {
			applied, err := s.apply(ctx, tx, pack, r)
			if err != nil {
				return err
			}
			result.Packs = append(result.Packs, applied)
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

// errDryRun takes everything back: a dry run is a real one up to its last moment, so it shows exactly what would happen.
var errDryRun = errors.New("dry run")

func (s *Store) apply(ctx context.Context, tx *graph.Tx, pack Pack, r ApplyRequest) (PackApplied, error) {
	taken, err := graph.One[struct{ Checksum string }](ctx, tx, cypher.PackTake, graph.Params{"pack": pack.Name, "uid": newUID()})
	if err != nil {
		return PackApplied{}, err
	}
	nodes, err := pack.read(ctx, tx)
	if err != nil {
		return PackApplied{}, err
	}
	changes, err := plan(pack, nodes, r.ApplyOptions)
	if err != nil {
		return PackApplied{}, err
	}
	if err := pack.checkLinks(nodes); err != nil {
		return PackApplied{}, err
	}
	for _, c := range changes {
		if err := c.checkBounds(); err != nil {
			return PackApplied{}, err
		}
	}
	applied := PackApplied{Pack: pack.Name, Version: pack.Version, Changes: changes, Unchanged: len(pack.Items)}
	touched := map[string]bool{}
	for _, change := range changes {
		if change.item != nil {
			touched[change.Section+" "+change.Name] = true
		}
	}
	applied.Unchanged -= len(touched)
	if applied.Changes == nil {
		applied.Changes = []PlannedChange{}
	}
	w := &packWriter{store: s, tx: tx, pack: pack, made: change{"applied", r.By, r.Reason}, newText: taken.Checksum != pack.Checksum,
		ids: map[string]string{}, applied: map[string]string{}}
	if w.made.Why == "" {
		w.made.Why = "pack " + pack.Name + " " + pack.Version
	}
	for _, node := range nodes {
		w.ids[node.Section+" "+node.Key] = node.ID
		if node.Owner == pack.Name {
			w.applied[node.Section+" "+node.Key] = node.Applied
		}
	}
	return applied, w.write(ctx, changes)
}

// read locks the nodes that the pack names, links to, or owns, and gives them. They are read again once they are locked, so
// that what somebody changed meanwhile is seen and not lost.
func (p Pack) read(ctx context.Context, tx *graph.Tx) ([]live, error) {
	nodes, err := p.nodes(ctx, tx)
	if err != nil || len(nodes) == 0 {
		return nodes, err
	}
	ids := make([]string, len(nodes))
	for i, node := range nodes {
		ids[i] = node.ID
	}
	if err := lock(ctx, tx, ids); err != nil {
		return nil, err
	}
	return p.nodes(ctx, tx)
}

// nodes gives the nodes that the pack names, links to, or owns.
func (p Pack) nodes(ctx context.Context, q graph.Querier) ([]live, error) {
	return graph.All[live](ctx, q, cypher.PackNodes, p.keys())
}

// keys are the parameters that make PackNodes read what the pack names, links to, or owns.
func (p Pack) keys() graph.Params {
	params := graph.Params{"pack": p.Name}
	lists := map[string][]string{}
	for _, sec := range sections {
		lists[sec.Name] = []string{}
	}
	for _, item := range p.Items {
		lists[item.section.Name] = append(lists[item.section.Name], item.Key)
		for _, link := range item.Links {
			lists[link.section] = append(lists[link.section], link.Key)
		}
	}
	for name, keys := range lists {
		slices.Sort(keys)
		params[name] = slices.Compact(keys)
	}
	return params
}

// checkLinks refuses a link to a node that is neither in the pack nor in the graph.
func (p Pack) checkLinks(nodes []live) error {
	known := map[string]bool{}
	for _, item := range p.Items {
		known[item.section.Name+" "+item.Key] = true
	}
	for _, node := range nodes {
		known[node.Section+" "+node.Key] = true
	}
	problems := &packProblems{file: p.File}
	for _, item := range p.Items {
		for _, link := range item.Links {
			if !known[link.section+" "+link.Key] {
				problems.add(item.node.At(item.section.Key), "Add it, or apply the pack that has it first; nothing was applied",
					"'%s' refers to %s '%s', which is neither in the pack nor in the graph", item.Key, link.section, link.Key)
			}
		}
	}
	return problems.fault()
}

// packWriter turns a plan into writes, a statement for each kind of write however many nodes there are.
type packWriter struct {
	store   *Store
	tx      *graph.Tx
	pack    Pack
	made    change            // what the history says
	newText bool              // whether the pack's text is another than the one applied last
	ids     map[string]string // element ids by "section key"
	applied map[string]string // what this pack last gave each node, likewise

	create, update, own []any
	makeLinks, cutLinks []any
	remove, disown      []string
}

func (w *packWriter) write(ctx context.Context, changes []PlannedChange) error {
	for _, c := range changes {
		if c.Action == "create" {
			properties := maps.Clone(c.properties)
			properties["uid"], properties["schema_version"] = newUID(), 1
			w.create = append(w.create, map[string]any{"section": c.Section, "key": c.Name, "label": c.item.section.Label, "properties": properties})
		}
	}
	if _, err := w.store.witness(ctx, w.tx, w.versioned(changes), observed); err != nil {
		return err
	}
	if len(w.create) > 0 {
		created, err := graph.All[struct{ Section, Key, ID string }](ctx, w.tx, cypher.NodesCreate, graph.Params{"nodes": w.create})
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
	// Also where nothing changed: what the pack says now is what the next comparison starts from.
	for _, item := range w.pack.Items {
		if w.pack.Name == "" { // a reversion, which leaves ownership as it is
			break
		}
		id := item.section.Name + " " + item.Key
		if says := canonical(item.Properties, item.linkTexts(), nil); w.applied[id] != says {
			w.own = append(w.own, map[string]any{"id": w.ids[id], "section": item.section.Name, "key": item.Key, "applied": says})
		}
	}
	return w.send(ctx, w.versioned(changes))
}

// versioned gives the element ids of the nodes whose version the changes make another: a row belongs to its table.
func (w *packWriter) versioned(changes []PlannedChange) []string {
	ids := map[string]bool{}
	for _, c := range changes {
		key := c.Section + " " + c.Name
		switch {
		case c.Action == "drift", c.Action == "left", c.Action == "release":
			continue
		case c.Section == "decision_rows":
			table, _ := c.says()["table_id"].(string)
			key = "decision_tables " + table
		}
		if id := w.ids[key]; id != "" {
			ids[id] = true
		}
	}
	return slices.Sorted(maps.Keys(ids))
}

// says are the properties of the node that the change is about.
func (c PlannedChange) says() map[string]any {
	if c.node != nil {
		return c.node.Properties
	}
	return c.properties
}

func (w *packWriter) collect(c PlannedChange) {
	switch c.Action {
	case "drift", "left":
	case "release":
		w.disown = append(w.disown, c.node.ID)
	case "remove":
		w.disown, w.remove = append(w.disown, c.node.ID), append(w.remove, c.node.ID)
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

func (w *packWriter) link(from string, link Link) map[string]any {
	return map[string]any{"from": from, "type": link.Type, "to": w.ids[link.section+" "+link.Key]}
}

func (w *packWriter) send(ctx context.Context, versioned []string) error {
	name := w.pack.Name
	if len(w.remove) > 0 {
		if err := w.store.remove(ctx, w.tx, w.remove, change{"removed", w.made.By, w.made.Why}); err != nil {
			return err
		}
	}
	steps := []struct {
		statement cypher.Statement
		params    graph.Params
		needed    bool
	}{
		{cypher.NodesUpdate, graph.Params{"nodes": w.update}, len(w.update) > 0},
		{cypher.PackDisown, graph.Params{"pack": name, "ids": w.disown}, len(w.disown) > 0},
		{cypher.NodesRemove, graph.Params{"ids": w.remove}, len(w.remove) > 0},
		{cypher.LinksRemove, graph.Params{"links": w.cutLinks}, len(w.cutLinks) > 0},
		{cypher.LinksCreate, graph.Params{"links": w.makeLinks}, len(w.makeLinks) > 0},
		{cypher.PackOwn, graph.Params{"pack": name, "nodes": w.own}, len(w.own) > 0},
		{cypher.PackRecord, graph.Params{"pack": name, "version": w.pack.Version, "description": w.pack.Description,
			"checksum": w.pack.Checksum, "by": w.made.By}, w.newText},
	}
	for _, step := range steps {
		if !step.needed {
			continue
		}
		if err := w.tx.Run(ctx, step.statement, step.params); err != nil {
			return err
		}
	}
	_, err := w.store.witness(ctx, w.tx, versioned, w.made)
	return err
}
