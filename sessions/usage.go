package sessions

import (
	"cmp"
	"context"
	"time"

	"nomograph/cypher"
	"nomograph/graph"
	"nomograph/internal/timeparse"
)

// UsageQuery selects the use of contexts.
type UsageQuery struct {
	By    string `json:"by,omitempty" jsonschema:"group by agent, session or token" rule:"enum=agent|session|token,default=\"agent\""`
	Since string `json:"since,omitempty" jsonschema:"start, such as 2w or 2026-01-31 (default 30 days ago)" rule:"maxLength=50"`
	Limit int    `json:"limit,omitempty" jsonschema:"maximum number of rows" rule:"minimum=1,maximum=500,default=50"`
}

// Usage is the use of contexts, most requests first.
type Usage struct {
	By    string     `json:"by"`
	Since time.Time  `json:"since"`
	Rows  []UsageRow `json:"rows"`
}

// UsageRow is the use by one agent, session or token.
type UsageRow struct {
	Name       string    `json:"name"`
	Sessions   int64     `json:"sessions"`
	Requests   int64     `json:"requests" jsonschema:"number of requests with results"`
	Given      int64     `json:"contexts_given"`
	Helpful    int64     `json:"helpful_count"`
	NotHelpful int64     `json:"not_helpful_count"`
	LastAt     time.Time `json:"last_at"`
}

// Usage counts the use of contexts. It returns a validation_error for an invalid time.
func (s *Store) Usage(ctx context.Context, q UsageQuery) (Usage, error) {
	since, err := timeparse.Parse("since", cmp.Or(q.Since, "30d"))
	if err != nil {
		return Usage{}, err
	}
	out := Usage{By: cmp.Or(q.By, "agent"), Since: since}
	out.Rows, err = graph.All[UsageRow](ctx, s.graph, cypher.ContextsUsage,
		graph.Params{"by": out.By, "since": graph.UTC(since), "limit": cmp.Or(q.Limit, 50)})
	return out, err
}
