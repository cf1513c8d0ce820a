package gate

import (
	"context"
	"maps"
	"time"

	"nomograph/cypher"
	"nomograph/graph"
	"nomograph/internal/timeparse"
	"nomograph/policies"
)

// VerdictFilter selects a page of verdicts, newest first.
type VerdictFilter struct {
	Rule    string `json:"rule,omitempty" jsonschema:"filter by violated rule" rule:"maxLength=200"`
	Allowed *bool  `json:"allowed,omitempty" jsonschema:"only those that allowed, or only denials"`
	AgentID string `json:"agent_id,omitempty" jsonschema:"only on actions of this agent" rule:"maxLength=200"`
	Project string `json:"project,omitempty" jsonschema:"only in this project" rule:"maxLength=200"`
	timeparse.Range
	policies.Page
}

// VerdictRow is a verdict in a list.
type VerdictRow struct {
	VerdictID   string    `json:"verdict_id"`
	At          time.Time `json:"at"`
	Allowed     bool      `json:"allowed"`
	AgentID     string    `json:"agent_id"`
	Project     string    `json:"project,omitempty"`
	Stakes      string    `json:"stakes"`
	Description string    `json:"description,omitempty"`
	Rules       []any     `json:"rules,omitempty" jsonschema:"violated rules"`
	Revision    string    `json:"revision"`
}

// VerdictList is a page of verdicts.
type VerdictList struct {
	Verdicts   []VerdictRow `json:"verdicts"`
	NextCursor string       `json:"next_cursor,omitempty"`
}

// Verdicts lists verdicts. It returns a validation_error for an invalid time or cursor.
func (s *Store) Verdicts(ctx context.Context, f VerdictFilter) (VerdictList, error) {
	after, err := policies.ParseTime("date_after", f.DateAfter)
	if err != nil {
		return VerdictList{}, err
	}
	before, err := policies.PageParameters(f.DateBefore, f.Page)
	if err != nil {
		return VerdictList{}, err
	}
	limit := f.Limit
	if limit <= 0 {
		limit = policies.DefaultLimit
	}
	params := graph.Params{"after": after, "agent": graph.NullIfEmpty(f.AgentID), "allowed": policies.Nullable(f.Allowed), "project": graph.NullIfEmpty(f.Project),
		"rule": f.Rule, "limit": limit + 1}
	maps.Copy(params, before)
	statement := cypher.VerdictsAll
	switch { // the most selective first, so that a list costs the same with any number of verdicts
	case f.Rule != "":
		statement = cypher.VerdictsOfRule
	case f.AgentID != "":
		statement = cypher.VerdictsOfAgent
	case f.Allowed != nil:
		statement = cypher.VerdictsOfResult
	}
	rows, err := graph.All[VerdictRow](ctx, s.graph, statement, params)
	if err != nil {
		return VerdictList{}, err
	}
	list := VerdictList{Verdicts: rows}
	if len(rows) > limit {
		last := rows[limit-1]
		list.Verdicts, list.NextCursor = rows[:limit], policies.Position{Name: last.At.UTC().Format(time.RFC3339Nano), ID: last.VerdictID}.String()
	}
	for i := range list.Verdicts {
		list.Verdicts[i].At = list.Verdicts[i].At.UTC()
	}
	return list, nil
}
