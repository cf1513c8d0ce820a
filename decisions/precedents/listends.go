package precedents

import (
	"context"
	"time"

	"nomograph/cypher"
	"nomograph/decisions"
	"nomograph/graph"
	"nomograph/search"
)

// ReadFirstDecisionAt asks when an agent decided first, and answers once the part is read: zero where it never did.
func (s *Store) ReadFirstDecisionAt(agent string) (graph.Part, func() (time.Time, error)) {
	part, rows := graph.PartOf[struct{ At time.Time }](cypher.AgentSince, graph.Params{"agent": decisions.NameKey(agent), "name": agent, "earliest": graph.UTC(Earliest)})
	return part, func() (time.Time, error) {
		first, err := rows.First()
		return first.At, err
	}
}

// Newest finds the decisions of a project, spelled as decisions know it, that were made last, or of all where it is empty, newest first.
func (s *Store) Newest(ctx context.Context, project string, limit int) (search.Results, error) {
	found, err := s.inTime(ctx, order{by: "created_at", limit: limit}, "project", project)
	if err != nil {
		return search.Results{}, err
	}
	hits := make([]search.Hit, len(found))
	for i, d := range found {
		hits[i].UID = graph.Text(d.Decision, "uid")
	}
	return search.Results{Hits: hits}, nil
}

// inTime returns the first decisions by time with one value of an indexed property, or all if the value is empty.
func (s *Store) inTime(ctx context.Context, o order, property, value string) ([]row, error) {
	c := conditions{filter: map[string]any{}, from: graph.UTC(Earliest), to: graph.UTC(latest)}
	if value != "" {
		c.filter[property] = value
	}
	params := o.lead(c, "")
	params["limit"], params["skip"], params["budget"] = o.limit, 0, o.limit
	return graph.All[row](ctx, s.graph, o.statement(), params)
}
