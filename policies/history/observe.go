package history

import (
	"context"
	"maps"

	"nomograph/cypher"
	"nomograph/graph"
	"nomograph/policies"
)

// Node is a policy, threshold or table that is there.
type Node struct{ ID, Label, Name string }

// Observe compares every policy, threshold and table with what was recorded of it, and records what was changed past Nomograph. Given
// what was there the last time, it also records what has gone since; nil where nobody looked before. It gives what is there now.
func (s *Store) Observe(ctx context.Context, before map[Node]struct{}) (map[Node]struct{}, error) {
	now := map[Node]struct{}{}
	var changed []string
	for _, pages := range contentPages {
		if err := s.eachPage(ctx, pages, func(contents []Content) error {
			changed = append(changed, Unrecorded(contents)...)
			for _, c := range contents {
				now[Node{c.ID, c.Label, c.Name}] = struct{}{}
			}
			return nil
		}); err != nil {
			return nil, err
		}
	}
	if err := s.RecordObserved(ctx, changed); err != nil {
		return nil, err
	}
	gone := maps.Clone(before)
	maps.DeleteFunc(gone, func(n Node, _ struct{}) bool { _, is := now[n]; return is })
	if len(gone) == 0 {
		return now, nil
	}
	_, err := s.recordGone(ctx)
	return now, err
}

// contentPages are what judges by; atlasPages what agents are told, which nobody watches for hand edits.
var (
	contentPages = []cypher.Statement{cypher.PoliciesContents, cypher.ThresholdsContents, cypher.TablesContents}
	atlasPages   = []cypher.Statement{cypher.AtlasesContents, cypher.ContextsContents}
)

// eachPage visits what nodes say, page by page.
func (s *Store) eachPage(ctx context.Context, pages cypher.Statement, visit func([]Content) error) error {
	after := policies.Position{}
	for {
		contents, err := graph.All[Content](ctx, s.graph, pages, graph.Params{"after_name": after.Name, "after_id": after.ID, "limit": syncPage})
		if err != nil {
			return err
		}
		if n := len(contents); n > 0 {
			after = policies.Position{Name: contents[n-1].Name, ID: contents[n-1].ID}
		}
		if err := visit(contents); err != nil || len(contents) < syncPage {
			return err
		}
	}
}
