package policies

import (
	"context"

	"nomograph/cypher"
	"nomograph/graph"
)

// Change is one entry of the append-only history: a node got another version. Kind is applied, observed, reverted or
// removed.
type Change struct {
	ID, Label, Name, Kind string
	before, after         *content // nil where there was, or is, no node
}

// content is what a version is made of.
type content struct {
	properties map[string]any
	links      []string
}

func (c *content) version() any {
	if c == nil {
		return nil
	}
	return Version(c.properties, c.links)
}

// record appends changes and the versions they lead from and to, in the transaction that makes them. A change that leaves
// the version as it was is none.
func (s *Store) record(ctx context.Context, tx *graph.Tx, changes []Change, by, why string) error {
	rows := make([]any, 0, len(changes))
	for _, c := range changes {
		from, to := c.before.version(), c.after.version()
		if from == to {
			continue
		}
		versions := []any{}
		for _, side := range []*content{c.before, c.after} {
			if side != nil && c.ID != "" {
				versions = append(versions, map[string]any{"uid": s.newID(), "hash": side.version(), "properties": canonical(side.properties, side.links)})
			}
		}
		rows = append(rows, map[string]any{"id": c.ID, "uid": s.newID(), "label": c.Label, "name": c.Name, "kind": c.Kind,
			"from": from, "to": to, "version_label": c.Label + "Version", "versions": versions})
	}
	if len(rows) == 0 {
		return nil
	}
	return tx.Run(ctx, cypher.ChangesRecord, graph.Params{"changes": rows, "by": by, "why": why})
}
