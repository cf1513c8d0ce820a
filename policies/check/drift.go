package check

import (
	"context"
	"slices"

	"nomograph/cypher"
	"nomograph/graph"
	"nomograph/internal/uid"
	"nomograph/policies/history"
)

// recordDrift records manual edits once for all concurrent checks.
func (s *Store) recordDrift(ctx context.Context, sets []*RuleSet) (struct{}, error) {
	recorded := map[string]bool{} // by revision; the last set may be an older read, without a new rule
	for _, set := range sets {
		if recorded[set.revision] {
			continue
		}
		recorded[set.revision] = true
		if err := s.record(ctx, set); err != nil {
			return struct{}{}, err
		}
	}
	return struct{}{}, nil
}

// record records the changes of a rule set. If there are none, it stores the revision as recorded, unless a change was
// recorded since the rules were read.
func (s *Store) record(ctx context.Context, set *RuleSet) error {
	ids := make([]string, len(set.contents))
	read := map[string]string{}
	versions := make([]any, len(set.contents))
	for i, c := range set.contents {
		ids[i], read[c.ID] = c.ID, c.Version()
		versions[i] = map[string]any{"of": c.Label, "hash": c.Version()}
	}
	ctx, cancel := context.WithTimeout(ctx, driftTimeout) // another writer may hold a lock on a rule
	defer cancel()
	left, err := graph.All[struct{ ID string }](ctx, s.graph, cypher.RulesDeactivated,
		nil) // deactivated by a manual edit
	if err != nil {
		return err
	}
	seen := slices.Clone(ids)
	for _, off := range left {
		seen = append(seen, off.ID)
	}
	if err := s.history.RecordManual(ctx, seen); err != nil {
		return err
	}
	return s.graph.Write(ctx, func(tx *graph.Tx) error {
		// A writer of a change takes this lock before it invalidates the revision.
		if err := tx.Run(ctx, cypher.RevisionLock, nil); err != nil {
			return err
		}
		contents, err := graph.All[history.Content](ctx, tx, cypher.Contents, graph.Params{"ids": ids})
		if err != nil {
			return err
		}
		if len(contents) != len(ids) || slices.ContainsFunc(contents,
			func(c history.Content) bool { return c.Version() != read[c.ID] || c.Version() != c.Recorded }) {
			return nil // changed meanwhile: the next check records it
		}
		return tx.Run(ctx, cypher.RevisionRecord, graph.Params{"hash": set.revision, "uid": uid.New(),
			"versions": versions})
	})
}
