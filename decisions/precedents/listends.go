package precedents

import (
	"context"
	"time"

	"nomograph/graph"
	"nomograph/search"
)

// FirstDecisionAt is when an agent decided first; zero where it never did.
func (s *Store) FirstDecisionAt(ctx context.Context, agent string) (time.Time, error) {
	agent, _, err := s.decisions.CanonicalNames(ctx, agent, "")
	if err != nil {
		return time.Time{}, err
	}
	found, err := s.inTime(ctx, order{by: "created_at", rising: true, limit: 1}, "agent", agent)
	if err != nil || len(found) == 0 {
		return time.Time{}, err
	}
	at, _ := found[0].Decision["created_at"].(time.Time)
	return at, nil
}

// Newest gives the decisions of a project that were made last, or of all where it is empty, newest first, with their reasons and
// what their reviews said.
func (s *Store) Newest(ctx context.Context, project string, limit int) ([]Match, error) {
	_, project, err := s.decisions.CanonicalNames(ctx, "", project)
	if err != nil {
		return nil, err
	}
	found, err := s.inTime(ctx, order{by: "created_at", limit: limit}, "project", project)
	if err != nil {
		return nil, err
	}
	if len(found) == 0 {
		return nil, nil
	}
	hits := make([]search.Hit, len(found))
	for i, d := range found {
		hits[i].UID = graph.Text(d.Decision, "uid")
	}
	m := Matches{Scores: map[string]Scores{}}
	err = s.surroundings(ctx, &m, hits, false)
	return m.Decisions, err
}

// inTime gives the first decisions of an order in time: those with one value of a property that is indexed with it, or all
// where the value is empty.
func (s *Store) inTime(ctx context.Context, o order, property, value string) ([]row, error) {
	c := conditions{filter: map[string]any{}, from: graph.UTC(Earliest), to: graph.UTC(latest)}
	if value != "" {
		c.filter[property] = value
	}
	params := o.lead(c, "")
	params["limit"], params["skip"], params["budget"] = o.limit, 0, o.limit
	return graph.All[row](ctx, s.graph, o.statement(), params)
}
