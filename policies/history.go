package policies

import (
	"context"
	"maps"
	"time"

	"nomograph/cypher"
	"nomograph/fault"
	"nomograph/graph"
)

// Subject names what has a history.
type Subject struct {
	Kind string `json:"kind" jsonschema:"what has the history" rule:"enum=policy|threshold|table"`
	Name string `json:"name" jsonschema:"its name; of a table its id" rule:"minLength=1,maxLength=200"`
}

var labelsOfKinds = map[string]string{"policy": "SYS_Policy", "threshold": "SYS_Threshold", "table": "SYS_DecisionTable"}

func (s Subject) label() string { return labelsOfKinds[s.Kind] }

// HistoryQuery asks for a page of a history, newest first.
type HistoryQuery struct {
	Subject
	Page
}

// HistoryEntry is one change. One that was made past Nomograph has the kind observed: it was made after Since, as far as
// that is known, and before At, when it was found.
type HistoryEntry struct {
	At      time.Time             `json:"at"`
	Since   *time.Time            `json:"since,omitempty" jsonschema:"of an observed change: it was made between since and at"`
	Kind    string                `json:"kind" jsonschema:"applied, observed, reverted or removed"`
	By      string                `json:"by"`
	Why     string                `json:"why"`
	From    string                `json:"from,omitempty" jsonschema:"version before"`
	To      string                `json:"to,omitempty" jsonschema:"version after"`
	Scope   string                `json:"scope,omitempty"`
	Changes map[string]Difference `json:"changes" jsonschema:"what is different"`
}

// Difference is what something was and became; null is absent.
type Difference struct {
	From any `json:"from"`
	To   any `json:"to"`
}

// History is a page of changes.
type History struct {
	Entries    []HistoryEntry `json:"entries"`
	NextCursor string         `json:"next_cursor,omitempty"`
}

// History tells how a policy, threshold or table became what it is, also one that is gone. It returns not_found where
// nothing was ever recorded under the name.
func (s *Store) History(ctx context.Context, q HistoryQuery) (History, error) {
	before, err := s.before("", q.Page)
	if err != nil {
		return History{}, err
	}
	limit := q.Limit
	if limit <= 0 {
		limit = defaultLimit
	}
	params := graph.Params{"label": q.label(), "name": q.Name, "limit": limit + 1}
	maps.Copy(params, before)
	rows, err := graph.All[struct {
		UID, Kind, By, Why, From, To, Scope, Before, After string
		At                                                 time.Time
		Since                                              any
	}](ctx, s.graph, cypher.ChangesOf, params)
	if err != nil {
		return History{}, err
	}
	if len(rows) == 0 && q.Cursor == "" {
		return History{}, s.unrecorded(ctx, q.Subject)
	}
	history := History{Entries: []HistoryEntry{}}
	for i, row := range rows {
		if i == limit {
			last := rows[limit-1]
			history.NextCursor = position{last.At.UTC().Format(time.RFC3339Nano), last.UID}.String()
			break
		}
		entry := HistoryEntry{At: row.At.UTC(), Kind: row.Kind, By: row.By, Why: row.Why, From: row.From, To: row.To, Scope: row.Scope}
		if since, known := row.Since.(time.Time); known {
			since = since.UTC()
			entry.Since = &since
		}
		before, err := said(row.Before)
		if err != nil {
			return History{}, err
		}
		after, err := said(row.After)
		if err != nil {
			return History{}, err
		}
		entry.Changes = differences(before, after)
		history.Entries = append(history.Entries, entry)
	}
	return history, nil
}

// unrecorded is the not_found of a name without a history.
func (s *Store) unrecorded(ctx context.Context, of Subject) error {
	names := map[string]cypher.Statement{"policy": cypher.PolicyNames, "threshold": cypher.ThresholdNames}[of.Kind]
	if names.Text != "" {
		if there, err := s.names(ctx, of.Name, names, 1); err != nil || len(there) == 0 || there[0] != of.Name {
			return s.missing(ctx, of.label(), of.Name, names)
		}
	}
	return fault.Newf(fault.NotFound, "%s node '%s' has no recorded history", of.label(), of.Name).
		WithHint("It begins with the first change through Nomograph, or with `nomograph policy sync`")
}
