package history

import (
	"context"
	"slices"
	"time"

	"nomograph/cypher"
	"nomograph/graph"
	"nomograph/internal/lists"
	"nomograph/internal/progress"
)

// SyncResult counts the detected manual edits.
type SyncResult struct {
	Looked  int `json:"compared" jsonschema:"policies, thresholds, tables, atlases and contexts"`
	Changed int `json:"changed" jsonschema:"number of changed or new nodes"`
	Gone    int `json:"removed"`
}

const syncPage = 1000

// Sync compares every policy, threshold, table, atlas and context with its last recorded version, and records manual
// edits with the interval in which they happened.
func (s *Store) Sync(ctx context.Context) (SyncResult, error) {
	var synced SyncResult
	begin, err := graph.Append[struct{ Now time.Time }](ctx, s.graph, cypher.SyncBegin, nil)
	if err != nil {
		return synced, err
	}
	for _, pages := range slices.Concat(contentPages, atlasPages) {
		if err := s.syncPages(ctx, pages, &synced); err != nil {
			return synced, err
		}
	}
	if synced.Gone, err = s.recordGone(ctx); err != nil {
		return synced, err
	}
	_, err = graph.Append[struct{}](ctx, s.graph, cypher.SyncEnd, graph.Params{"at": begin.Now})
	return synced, err
}

func (s *Store) syncPages(ctx context.Context, pages cypher.Statement, synced *SyncResult) error {
	return s.eachPage(ctx, pages, func(contents []Content) error {
		changed := Unrecorded(contents)
		synced.Looked += len(contents)
		progress.Report(ctx, progress.Step{Message: "Comparing with the recorded history", Done: int64(synced.Looked)})
		if len(changed) == 0 {
			return nil
		}
		found := 0
		err := s.graph.Write(ctx, func(tx *graph.Tx) (err error) {
			found, err = s.Record(ctx, tx, changed, Observed)
			return err
		})
		synced.Changed += found
		return err
	})
}

// recordGone records manual deletions and returns their number.
func (s *Store) recordGone(ctx context.Context) (found int, err error) {
	err = s.graph.Write(ctx, func(tx *graph.Tx) error {
		if err := tx.Run(ctx, cypher.SyncBegin, nil); err != nil { // concurrent syncs record a change once
			return err
		}
		found, err = recordGone(ctx, tx, cypher.NodesDeleted, nil)
		return err
	})
	return found, err
}

// RecordDeleted records which of the missing nodes were deleted manually.
func (s *Store) RecordDeleted(ctx context.Context, tx *graph.Tx, nodes []Node) error {
	if len(nodes) == 0 {
		return nil
	}
	names := lists.Map(nodes, func(node Node) any {
		return map[string]any{"label": node.Label, "name": node.Name}
	})
	found, err := graph.All[struct{ Name string }](ctx, tx, cypher.NamesDeleted, graph.Params{"nodes": names})
	if err != nil || len(found) == 0 {
		return err
	}
	if err := tx.Run(ctx, cypher.SyncBegin, nil); err != nil {
		return err
	}
	_, err = recordGone(ctx, tx, cypher.NamesDeleted, graph.Params{"nodes": names}) // read again under the lock
	return err
}

// recordGone records the deletions that a statement finds, and returns their number. Its caller holds the lock of Sync.
func recordGone(ctx context.Context, tx *graph.Tx, statement cypher.Statement, params graph.Params) (int, error) {
	gone, err := graph.All[struct {
		Content `mapstructure:",squash"`
		Scope   string
		Since   time.Time
	}](ctx, tx, statement, params)
	if err != nil || len(gone) == 0 {
		return 0, err
	}
	rows := make([]any, len(gone))
	for i, node := range gone {
		row := changeRow(node.Content, Observed.Kind, node.Since)
		row["scope"], rows[i] = node.Scope, row
	}
	return len(gone), tx.Run(ctx, cypher.ChangesRecord,
		graph.Params{"changes": rows, "by": Observed.By, "why": "found removed from the graph", "pack": nil})
}
