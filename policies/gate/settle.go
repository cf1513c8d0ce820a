package gate

import (
	"context"
	"slices"

	"nomograph/cypher"
	"nomograph/graph"
	"nomograph/internal/uid"
	"nomograph/policies/history"
)

// settle records what of the rules was changed past Nomograph, once for all who read them so.
func (s *Store) settle(ctx context.Context, sets []*RuleSet) (struct{}, error) {
	recorded := map[string]bool{} // by revision: one that was read before may come last, and know nothing of a rule that another has
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

// record records the changes of a rule set. Where there are none, it notes the rule set as the one that was recorded last, unless it has moved on
// since it was read.
func (s *Store) record(ctx context.Context, set *RuleSet) error {
	ids := make([]string, len(set.contents))
	read := map[string]string{}
	versions := make([]any, len(set.contents))
	for i, c := range set.contents {
		ids[i], read[c.ID] = c.ID, c.Version()
		versions[i] = map[string]any{"of": c.Label, "hash": c.Version()}
	}
	ctx, cancel := context.WithTimeout(ctx, settleTimeout) // somebody may hold a lock on a rule
	defer cancel()
	contents, err := graph.All[history.Content](ctx, s.graph, cypher.Contents, graph.Params{"ids": ids})
	if err != nil {
		return err
	}
	left, err := graph.All[history.Content](ctx, s.graph, cypher.RulesLeft, nil) // switched off by hand
	if err != nil {
		return err
	}
	changed := history.Unrecorded(contents)
	for _, off := range left {
		changed = append(changed, off.ID)
	}
	if err := s.history.RecordObserved(ctx, changed); err != nil {
		return err
	}
	return s.graph.Write(ctx, func(tx *graph.Tx) error {
		// Whoever records a change waits for this lock before it says that the revision no longer counts.
		if err := tx.Run(ctx, cypher.RevisionLock, nil); err != nil {
			return err
		}
		contents, err := graph.All[history.Content](ctx, tx, cypher.Contents, graph.Params{"ids": ids})
		if err != nil {
			return err
		}
		if len(contents) != len(ids) || slices.ContainsFunc(contents, func(c history.Content) bool { return c.Version() != read[c.ID] || c.Version() != c.Recorded }) {
			return nil // it moved on: whoever checks next settles that
		}
		return tx.Run(ctx, cypher.RevisionRecord, graph.Params{"hash": set.revision, "uid": uid.New(), "versions": versions})
	})
}
