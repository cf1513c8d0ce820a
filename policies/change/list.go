package change

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"nomograph/cypher"
	"nomograph/graph"
	"nomograph/policies"
	"nomograph/policies/pack"
	"nomograph/prose"
)

// PacksQuery asks for the packs that were applied.
type PacksQuery struct{}

// PackList has every pack that was applied, by name.
type PackList struct {
	Packs   []AppliedPack `json:"packs"`
	Total   int           `json:"total"`
	Summary string        `json:"summary" jsonschema:"the same, for a person"`
}

// AppliedPack is a pack as the graph knows it.
type AppliedPack struct {
	Name        string     `json:"name"`
	Version     string     `json:"version"`
	Description string     `json:"description,omitempty"`
	AppliedAt   *time.Time `json:"applied_at,omitempty" jsonschema:"when its text last changed"`
	AppliedBy   string     `json:"applied_by,omitempty"`
	Nodes       int        `json:"nodes" jsonschema:"how many it owns"`
	Drift       []string   `json:"drift" jsonschema:"nodes of it that somebody changed in the graph"`
}

// Packs lists the packs that were applied, each with the nodes that say something else than it last gave them.
func (s *Store) Packs(ctx context.Context, _ PacksQuery) (PackList, error) {
	rows, err := graph.All[struct {
		Name, Version, Description, AppliedBy any
		AppliedAt                             *time.Time
		Nodes                                 []struct {
			Section, Key, Applied string
			Properties            map[string]any
		}
	}](ctx, s.graph, cypher.PacksApplied, nil)
	if err != nil {
		return PackList{}, err
	}
	list := PackList{Packs: make([]AppliedPack, len(rows)), Total: len(rows)}
	var b strings.Builder
	for i, row := range rows {
		p := AppliedPack{AppliedAt: row.AppliedAt, Nodes: len(row.Nodes), Drift: []string{}}
		p.Name, _ = row.Name.(string) // others may have written what they like
		p.Version, _ = row.Version.(string)
		p.Description, _ = row.Description.(string)
		p.AppliedBy, _ = row.AppliedBy.(string)
		for _, n := range row.Nodes {
			if drifted(n.Properties, n.Applied) {
				p.Drift = append(p.Drift, pack.NounOf(n.Section)+" "+n.Key)
			}
		}
		slices.Sort(p.Drift)
		list.Packs[i] = p
		fmt.Fprintf(&b, "%s %s: %s", p.Name, p.Version, prose.Plural(p.Nodes, "node"))
		if p.AppliedAt != nil {
			fmt.Fprintf(&b, "; applied %s by %s", p.AppliedAt.UTC().Format(time.RFC3339), p.AppliedBy)
		}
		b.WriteByte('\n')
		for _, name := range p.Drift {
			fmt.Fprintf(&b, "  %s was changed in the graph\n", name)
		}
	}
	if list.Summary = b.String(); len(rows) == 0 {
		list.Summary = "no pack has been applied\n"
	}
	return list, nil
}

// drifted tells whether a node says something else than what a pack last gave it. What the pack never named is nobody's.
func drifted(properties map[string]any, applied string) bool {
	var base appliedState
	if json.Unmarshal([]byte(applied), &base) != nil {
		return true
	}
	for key, value := range base.Properties {
		if !policies.Same(properties[key], value.Any()) {
			return true
		}
	}
	return false
}
