package history

import (
	"context"

	"nomograph/cypher"
	"nomograph/graph"
	"nomograph/policies"
)

// Node is an existing policy, threshold or table.
type Node struct{ ID, Label, Name string }

// Survey holds the differences between rules and their last recorded versions.
type Survey struct {
	Nodes   map[Node]struct{} // all existing nodes
	changed []string          // ids
	gone    bool
}

// Survey compares every policy, threshold and table with its last recorded version, and with the nodes of the previous
// survey. before is nil for the first survey.
func (s *Store) Survey(ctx context.Context, before map[Node]struct{}) (Survey, error) {
	c := Survey{Nodes: map[Node]struct{}{}}
	for _, pages := range contentPages {
		if err := s.eachPage(ctx, pages, func(contents []Content) error {
			c.changed = append(c.changed, Unrecorded(contents)...)
			for _, content := range contents {
				c.Nodes[Node{content.ID, content.Label, content.Name}] = struct{}{}
			}
			return nil
		}); err != nil {
			return Survey{}, err
		}
	}
	for n := range before {
		if _, ok := c.Nodes[n]; !ok {
			c.gone = true
		}
	}
	return c, nil
}

// RecordSurvey records manual edits and deletions.
func (s *Store) RecordSurvey(ctx context.Context, c Survey) error {
	if err := s.RecordObserved(ctx, c.changed); err != nil || !c.gone {
		return err
	}
	_, err := s.recordGone(ctx)
	return err
}

// contentPages reads rules. atlasPages reads atlases and contexts, whose manual edits no watcher reports.
var (
	contentPages = []cypher.Statement{cypher.PoliciesContents, cypher.ThresholdsContents, cypher.TablesContents}
	atlasPages   = []cypher.Statement{cypher.AtlasesContents, cypher.ContextsContents}
)

// eachPage visits contents page by page.
func (s *Store) eachPage(ctx context.Context, pages cypher.Statement, visit func([]Content) error) error {
	after := policies.Position{}
	for {
		contents, err := graph.All[Content](ctx, s.graph, pages,
			graph.Params{"after_name": after.Name, "after_id": after.ID, "limit": syncPage})
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
