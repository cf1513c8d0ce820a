package change

import (
	"cmp"
	"context"

	"nomograph/cypher"
	"nomograph/graph"
	"nomograph/internal/lists"
	"nomograph/internal/uid"
	"nomograph/policies/history"
	"nomograph/policies/pack"
)

// ApplyOptions say what applying may change.
type ApplyOptions struct {
	Adopt     bool `json:"adopt,omitempty" jsonschema:"take over nodes that the pack does not own"`
	Overwrite bool `json:"overwrite,omitempty" jsonschema:"reset values that were changed in the graph"`
	Prune     bool `json:"prune,omitempty" jsonschema:"remove nodes that are missing from the pack"`
	DryRun    bool `json:"dry_run,omitempty" jsonschema:"show the effect and change nothing"`

	configured bool // see ApplyConfigured
}

// ApplyRequest names packs to apply, all or none.
type ApplyRequest struct {
	Packs  []pack.Source `json:"packs" rule:"minItems=1,maxItems=50"`
	Reason string        `json:"reason,omitempty" jsonschema:"reason for the history" rule:"maxLength=2000"`
	ApplyOptions
	Mode string `json:"mode,omitempty" jsonschema:"mode of all rules of these packs; later applications preserve it" rule:"enum=shadow|enforce|off"`
	By   string `json:"-"`
}

// ApplyResult lists the changes by pack.
type ApplyResult struct {
	DryRun  bool          `json:"dry_run"`
	Packs   []PackApplied `json:"packs"`
	Summary string        `json:"summary" jsonschema:"readable summary"`
}

// PackApplied is the result for one pack.
type PackApplied struct {
	Pack      string          `json:"pack"`
	Version   string          `json:"version"`
	Changes   []PlannedChange `json:"changes"`
	Unchanged int             `json:"unchanged"`
	Mode      string          `json:"mode,omitempty" jsonschema:"requested mode"`
	Switched  int             `json:"mode_changed,omitempty" jsonschema:"rules that had another mode before"`
}

// Apply applies packs in one transaction; applying again changes nothing. It returns a validation_error with line and
// column for an invalid pack, not_found for an unknown shipped pack, permission_denied for a pack without the signature
// that RequireSignatures requires, and a conflict for nodes that the pack does not own. After an error the graph is
// unchanged.
func (s *Store) Apply(ctx context.Context, r ApplyRequest) (ApplyResult, error) {
	packs, err := s.parse(ctx, r.Packs)
	if err != nil {
		return ApplyResult{}, err
	}
	return s.ApplyParsed(ctx, packs, r)
}

// ApplyParsed is Apply for parsed packs in any format; r holds the options.
func (s *Store) ApplyParsed(ctx context.Context, packs []pack.Pack, r ApplyRequest) (ApplyResult, error) {
	return writeResult(ctx, s, r.DryRun, func(tx *graph.Tx) (ApplyResult, error) {
		return s.applyParsedIn(ctx, tx, packs, r)
	})
}

func (s *Store) applyParsedIn(ctx context.Context, tx *graph.Tx, packs []pack.Pack, r ApplyRequest) (ApplyResult,
	error) {
	result := ApplyResult{DryRun: r.DryRun}
	for _, pack := range packs {
		applied, err := s.apply(ctx, tx, pack, r)
		if err != nil {
			return ApplyResult{}, err
		}
		if r.Mode != "" {
			applied.Mode = r.Mode
			if applied.Switched, err = s.setModes(ctx, tx, pack, r); err != nil {
				return ApplyResult{}, err
			}
		}
		result.Packs = append(result.Packs, applied)
	}
	result.Summary = result.summary()
	return result, nil
}

// packState is the stored state of a pack.
type packState struct {
	Checksum string
	Brought  []any
}

func (s *Store) apply(ctx context.Context, tx *graph.Tx, pack pack.Pack, r ApplyRequest) (PackApplied, error) {
	taken, err := graph.One[packState](ctx, tx, cypher.PackLock, graph.Params{"pack": pack.Name, "uid": uid.New()})
	if err != nil {
		return PackApplied{}, err
	}
	nodes, err := lockNodes(ctx, tx, pack)
	if err != nil {
		return PackApplied{}, err
	}
	had := decodeContents(taken.Brought)
	pack, applied, err := planPack(pack, nodes, had, r.ApplyOptions)
	if err != nil {
		return PackApplied{}, err
	}
	changes := applied.Changes
	if err := checkLinks(pack, nodes); err != nil {
		return PackApplied{}, err
	}
	for _, c := range changes {
		if err := c.checkBounds(); err != nil {
			return PackApplied{}, err
		}
	}
	if err := s.recordDeleted(ctx, tx, changes); err != nil {
		return PackApplied{}, err
	}
	made := history.Applied(r.By, cmp.Or(r.Reason, "pack "+pack.Name+" "+pack.Version))
	made.Pack = pack.Name
	w := s.writer(tx, pack, nodes, made)
	w.had, w.newText = had, taken.Checksum != pack.Checksum
	if err := w.write(ctx, changes); err != nil || !r.Overwrite {
		return applied, err
	}
	reset := lists.Filter(nodes, func(node graphNode) bool { return node.Owner == pack.Name && node.Mode != "" })
	return applied, s.chooseMode(ctx, tx, pack, lists.Map(reset, func(node graphNode) string { return node.ID }), "")
}

// planPack returns the changes of a pack, and the pack without items that another pack still owns.
func planPack(p pack.Pack, nodes []graphNode, had packContents, o ApplyOptions) (pack.Pack, PackApplied, error) {
	p, changes, err := plan(p, nodes, had, o)
	applied := PackApplied{Pack: p.Name, Version: p.Version, Changes: changes, Unchanged: len(p.Items)}
	touched := map[string]bool{}
	for _, change := range changes {
		if change.item != nil {
			touched[change.Section+" "+change.Name] = true
		}
	}
	applied.Unchanged -= len(touched)
	return p, applied, err
}

// recordDeleted records manually deleted nodes before they are created again or shown as drift.
func (s *Store) recordDeleted(ctx context.Context, tx *graph.Tx, changes []PlannedChange) error {
	var nodes []history.Node
	for _, c := range changes {
		if c.node == nil {
			nodes = append(nodes, history.Node{Label: c.item.Section.Label, Name: c.Name})
		}
	}
	return s.history.RecordDeleted(ctx, tx, nodes)
}

// lockNodes locks and returns the nodes that the pack names, links to, or owns. They are read after they are locked, so
// that concurrent changes are seen.
func lockNodes(ctx context.Context, tx *graph.Tx, p pack.Pack) ([]graphNode, error) {
	nodes, err := nodesOf(ctx, tx, p)
	if err != nil || len(nodes) == 0 {
		return nodes, err
	}
	ids := lists.Map(nodes, func(node graphNode) string { return node.ID })
	if err := history.Lock(ctx, tx, ids); err != nil {
		return nil, err
	}
	return nodesOf(ctx, tx, p)
}

// nodesOf returns the nodes that the pack names, links to, or owns.
func nodesOf(ctx context.Context, q graph.Querier, p pack.Pack) ([]graphNode, error) {
	return graph.All[graphNode](ctx, q, cypher.PackNodes, keysOf(p))
}

// noKey is a key that no node has. It is used instead of an empty list, which has a different type, so that Neo4j would
// plan the statement again.
const noKey = "\x00"

// keysOf returns the parameters of PackNodes.
func keysOf(p pack.Pack) graph.Params {
	params := graph.Params{"pack": p.Name}
	keys := map[string][]string{}
	for _, sec := range pack.Sections {
		keys[sec.Name] = []string{noKey}
	}
	for _, item := range p.Items {
		keys[item.Section.Name] = append(keys[item.Section.Name], item.Key)
		for _, link := range item.Links {
			keys[link.Section] = append(keys[link.Section], link.Key)
		}
	}
	for name, of := range keys {
		params[name] = lists.Union(of)
	}
	return params
}

// checkLinks refuses links to nodes that are neither in the pack nor in the graph.
func checkLinks(p pack.Pack, nodes []graphNode) error {
	known := map[string]bool{}
	for _, item := range p.Items {
		known[item.Section.Name+" "+item.Key] = true
	}
	for _, node := range nodes {
		known[node.Section+" "+node.Key] = true
	}
	problems := &pack.Problems{File: p.File}
	for _, item := range p.Items {
		for _, link := range item.Links {
			if !known[link.Section+" "+link.Key] {
				problems.Add(item.Node.At(item.Section.Key),
					"Add it, or apply the pack that has it first; nothing was applied",
					"'%s' refers to %s '%s', which is neither in the pack nor in the graph", item.Key, link.Section,
					link.Key)
			}
		}
	}
	return problems.Err()
}
