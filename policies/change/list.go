package change

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"nomograph/cypher"
	"nomograph/graph"
	"nomograph/internal/render"
	"nomograph/policies/pack"
	"nomograph/policies/rule"
)

// PacksQuery selects applied packs.
type PacksQuery struct {
	Name string `json:"name,omitempty" jsonschema:"filter by name; the pack then lists its contents" rule:"maxLength=200"`
}

// PackList holds every applied pack, by name.
type PackList struct {
	Packs   []AppliedPack `json:"packs"`
	Total   int           `json:"total"`
	Summary string        `json:"summary" jsonschema:"readable summary"`
}

// AppliedPack is an applied pack.
type AppliedPack struct {
	Name        string     `json:"name"`
	Version     string     `json:"version"`
	Description string     `json:"description,omitempty"`
	AppliedAt   *time.Time `json:"applied_at,omitempty" jsonschema:"time of the last change of its text"`
	AppliedBy   string     `json:"applied_by,omitempty"`
	Nodes       int        `json:"nodes" jsonschema:"number of nodes that it owns" mapstructure:"-"`
	Drift       []string   `json:"drift" jsonschema:"owned nodes that somebody changed or deleted in the graph"`
	Deleted     []string   `json:"deleted" jsonschema:"owned nodes that somebody deleted in the graph"`
	// Modes counts the pack's rules by effect.
	Modes    map[string]int `json:"modes" jsonschema:"number of rules by effect: block, warn, shadow, off, data"`
	Contents []PackNode     `json:"contents,omitempty" jsonschema:"nodes that it owns; only if the name is given"`
}

// PackNode is a node that a pack owns.
type PackNode struct {
	Kind   string `json:"kind"`
	Name   string `json:"name"`
	Effect string `json:"effect,omitempty" jsonschema:"effect of a rule"`
	Drift  bool   `json:"drift" jsonschema:"edited since the pack was applied"`
}

// Packs lists the applied packs, each with its drift.
func (s *Store) Packs(ctx context.Context, q PacksQuery) (PackList, error) {
	rows, err := graph.All[struct {
		AppliedPack `mapstructure:",squash"`
		Brought     []any
		Nodes       []graphNode
	}](ctx, s.graph, cypher.PacksApplied, graph.Params{"name": graph.NullIfEmpty(q.Name)})
	if err != nil {
		return PackList{}, err
	}
	list := PackList{Packs: make([]AppliedPack, len(rows)), Total: len(rows)}
	var b strings.Builder
	for i, row := range rows {
		p := row.AppliedPack
		p.Nodes, p.Modes = len(row.Nodes), map[string]int{}
		gone := decodeContents(row.Brought)
		for _, n := range row.Nodes {
			delete(gone, n.Section+" "+n.Key)
			node := PackNode{Kind: pack.NounOf(n.Section), Name: n.Key, Drift: n.hasDrift(nil)}
			if n.Section == "policies" {
				node.Effect = rule.PolicyEffect(n.Properties, nil).Effect
				p.Modes[node.Effect]++
			}
			if q.Name != "" {
				p.Contents = append(p.Contents, node)
			}
			if node.Drift {
				p.Drift = append(p.Drift, pack.NounOf(n.Section)+" "+n.Key)
			}
		}
		for id := range gone {
			section, key, _ := strings.Cut(id, " ")
			p.Deleted = append(p.Deleted, pack.NounOf(section)+" "+key)
		}
		p.Drift = append(p.Drift, p.Deleted...)
		slices.Sort(p.Drift)
		slices.Sort(p.Deleted)
		slices.SortFunc(p.Contents, func(a, b PackNode) int {
			return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Name, b.Name))
		})
		list.Packs[i] = p
		fmt.Fprintf(&b, "%s %s: %s", p.Name, p.Version, render.Plural(p.Nodes, "node"))
		if p.AppliedAt != nil {
			fmt.Fprintf(&b, "; applied %s by %s", p.AppliedAt.UTC().Format(time.RFC3339), p.AppliedBy)
		}
		b.WriteByte('\n')
		for _, name := range p.Drift {
			action := "changed"
			if slices.Contains(p.Deleted, name) {
				action = "deleted"
			}
			fmt.Fprintf(&b, "  %s was %s in the graph\n", name, action)
		}
	}
	if list.Summary = b.String(); len(rows) == 0 {
		list.Summary = "no pack has been applied\n"
	}
	return list, nil
}

// UnownedRules returns the names of the rules that no pack owns. Applying or removing packs does not change them.
func (s *Store) UnownedRules(ctx context.Context) ([]string, error) {
	rows, err := graph.All[struct{ Properties map[string]any }](ctx, s.graph, cypher.RulesUnowned, nil)
	var names []string
	for _, row := range rows {
		if rule.IsGuardrail(row.Properties) {
			names = append(names, graph.Text(row.Properties, "name"))
		}
	}
	return names, err
}
