package history

import (
	"context"
	"slices"
	"strings"
	"time"

	"nomograph/cypher"
	"nomograph/graph"
	"nomograph/internal/lists"
	"nomograph/internal/uid"
	"nomograph/policies"
)

// Content is the content of a node, from which its version is computed, and its last recorded version ("" for none).
type Content struct {
	ID, Label, Name string
	Properties      map[string]any
	Links, Rows     []any
	Recorded        string
	Hash            string // version of the node, if already computed
}

// Version returns the hash of the content.
func (c Content) Version() string {
	if c.Hash != "" {
		return c.Hash
	}
	return policies.Version(c.Properties, graph.Texts(c.Links), c.Rows...)
}

// Scope returns the scope of the node, "" if it has none; several scopes are joined.
func (c Content) Scope() string {
	return strings.Join(policies.Stored{Properties: c.Properties}.Scopes(), ", ")
}

// Change is an entry of the append-only history: a node got a new version. Kind is applied, observed, reverted or
// removed.
type Change struct {
	Kind, By, Why string
	Pack          string // the pack that was applied, if any
}

// Applied is a change by a caller or a pack.
func Applied(by, why string) Change { return Change{Kind: "applied", By: by, Why: why} }

// Removed is a deletion.
func Removed(by, why string) Change { return Change{Kind: "removed", By: by, Why: why} }

// Observed is a manual edit.
var Observed = Change{Kind: "observed", By: "unknown", Why: "found changed in the graph"}

// Record appends changes of the nodes with these element ids to the history, and returns their number. It locks the
// nodes, so that concurrent observers record a change once.
func (s *Store) Record(ctx context.Context, tx *graph.Tx, ids []string, c Change) (int, error) {
	if len(ids) == 0 {
		return 0, nil
	}
	if err := Lock(ctx, tx, ids); err != nil {
		return 0, err
	}
	contents, err := graph.All[Content](ctx, tx, cypher.Contents, graph.Params{"ids": ids})
	if err != nil {
		return 0, err
	}
	contents = slices.DeleteFunc(contents, func(c Content) bool { return c.Recorded == c.Version() })
	return len(contents), s.append(ctx, tx, contents, c)
}

// Unrecorded returns the element ids of nodes that differ from their last recorded version.
func Unrecorded(contents []Content) []string {
	unrecorded := lists.Filter(contents, func(c Content) bool { return c.Recorded != c.Version() })
	return lists.Map(unrecorded, func(c Content) string { return c.ID })
}

const (
	smallGraph = 20
	nodeBatch  = 50
)

// RecordObserved is Record for a reader that found differences. A few nodes are locked one at a time, so that a
// concurrent manual edit of several nodes does not deadlock.
func (s *Store) RecordObserved(ctx context.Context, ids []string) error {
	size := 1
	if len(ids) > smallGraph {
		size = nodeBatch
	}
	for batch := range slices.Chunk(ids, size) {
		if err := s.graph.Write(ctx, func(tx *graph.Tx) error {
			_, err := s.Record(ctx, tx, batch, Observed)
			return err
		}); err != nil {
			return err
		}
	}
	return nil
}

// RecordManual is RecordObserved for those of the nodes that differ from their last recorded version.
func (s *Store) RecordManual(ctx context.Context, ids []string) error {
	contents, err := graph.All[Content](ctx, s.graph, cypher.Contents, graph.Params{"ids": append([]string{}, ids...)})
	if err != nil {
		return err
	}
	return s.RecordObserved(ctx, Unrecorded(contents))
}

// RecordRemoved records that the nodes will be deleted. Call it before they are deleted.
func (s *Store) RecordRemoved(ctx context.Context, tx *graph.Tx, ids []string, c Change) error {
	contents, err := graph.All[Content](ctx, tx, cypher.Contents, graph.Params{"ids": ids})
	if err != nil {
		return err
	}
	return s.append(ctx, tx, contents, c)
}

// Lock locks the nodes in the order that all writers use, against deadlocks.
func Lock(ctx context.Context, tx *graph.Tx, ids []string) error {
	return tx.Run(ctx, cypher.NodesLock, graph.Params{"ids": lists.Union(ids)})
}

// append adds changes in the transaction that makes them.
func (s *Store) append(ctx context.Context, tx *graph.Tx, contents []Content, c Change) error {
	if len(contents) == 0 {
		return nil
	}
	since, err := s.lastSeen(ctx, tx, contents, c)
	if err != nil {
		return err
	}
	rows := make([]any, len(contents))
	for i, now := range contents {
		row := changeRow(now, c.Kind, since[now.ID])
		if c.Kind != "removed" {
			row["to"] = now.Version()
			row["version"] = map[string]any{"uid": uid.New(), "label": now.Label + "Version",
				"properties": policies.Canonical(now.Properties, graph.Texts(now.Links), now.Rows)}
		}
		rows[i] = row
	}
	return tx.Run(ctx, cypher.ChangesRecord, graph.Params{"changes": rows, "by": c.By, "why": c.Why,
		"pack": graph.NullIfEmpty(c.Pack)})
}

// changeRow is a change without a version after it, as a parameter.
func changeRow(c Content, kind string, since any) map[string]any {
	return map[string]any{"id": c.ID, "uid": uid.New(), "label": c.Label, "name": c.Name, "scope": c.Scope(),
		"kind": kind, "from": graph.NullIfEmpty(c.Recorded),
		"to": nil, "since": since, "version": nil}
}

// lastSeen returns, for a manual edit, when the earlier version was last known to be in force: the edit happened
// between this time and the time of its entry. Other changes are recorded when they are made.
func (s *Store) lastSeen(ctx context.Context, tx *graph.Tx, contents []Content, c Change) (map[string]any, error) {
	since := map[string]any{}
	if c.Kind != Observed.Kind {
		return since, nil
	}
	nodes := lists.Map(contents, func(now Content) any {
		return map[string]any{"id": now.ID, "label": now.Label, "name": now.Name}
	})
	seen, err := graph.All[struct {
		ID   string
		Seen time.Time
	}](ctx, tx, cypher.LastSeen, graph.Params{"nodes": nodes})
	for _, row := range seen {
		since[row.ID] = row.Seen
	}
	return since, err
}
