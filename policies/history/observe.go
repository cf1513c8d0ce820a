package history

import (
	"context"

	"nomograph/cypher"
	"nomograph/graph"
	"nomograph/policies"
)

// Node is a policy, threshold or table that is there.
type Node struct{ ID, Label, Name string }

// Survey is how policies, thresholds and tables differ from what was recorded of them.
type Survey struct {
	There   map[Node]struct{}
	changed []string // ids
	gone    bool
}

// Survey compares every policy, threshold and table with what was recorded of it, and with what was there the last time; nil where nobody
// looked before.
func (s *Store) Survey(ctx context.Context, before map[Node]struct{}) (Survey, error) {
	c := Survey{There: map[Node]struct{}{}}
	for _, pages := range contentPages {
		if err := s.eachPage(ctx, pages, func(contents []Content) error {
			c.changed = append(c.changed, Unrecorded(contents)...)
			for _, content := range contents {
				c.There[Node{content.ID, content.Label, content.Name}] = struct{}{}
			}
			return nil
		}); err != nil {
			return Survey{}, err
		}
	}
	for n := range before {
		if _, ok := c.There[n]; !ok {
			c.gone = true
		}
	}
	return c, nil
}

// RecordSurvey records what was changed past Nomograph, and what has gone.
func (s *Store) RecordSurvey(ctx context.Context, c Survey) error {
	if err := s.RecordObserved(ctx, c.changed); err != nil || !c.gone {
		return err
	}
	_, err := s.recordGone(ctx)
	return err
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
