package history

import (
	"context"
	"strings"
	"time"

	"nomograph/cypher"
	"nomograph/graph"
	"nomograph/internal/timeparse"
	"nomograph/policies"
)

// AuditQuery selects entries of the audit.
type AuditQuery struct {
	Kind string `json:"kind,omitempty" jsonschema:"filter by kind (default all)" rule:"enum=policy|threshold|table|atlas|context|pack|token|approval|proposal|appeal"`
	By   string `json:"by,omitempty" jsonschema:"filter by author, case-insensitive" rule:"maxLength=200"`
	timeparse.Range
	policies.Page
}

// AuditEntry says who changed something, and when. Approvals appear when they are answered, renewed or revoked; appeals
// when they are made and decided; proposals when they are opened and when their state changes.
type AuditEntry struct {
	At     time.Time `json:"at"`
	Kind   string    `json:"kind"`
	Name   string    `json:"name" jsonschema:"object of the change; for a proposal the changed rules, for an approval or appeal the action"`
	Object string    `json:"object_id,omitempty" jsonschema:"id of the approval or proposal; of an appeal, the verdict"`
	Action string    `json:"action" jsonschema:"applied, observed, reverted, removed, created, rotated, revoked, approved, rejected, renewed, proposed, withdrawn, stale, appealed, upheld or overturned"`
	By     string    `json:"by" jsonschema:"empty for a proposal that became stale"`
	Why    string    `json:"reason"`
}

// AuditList is a page of the audit, newest first.
type AuditList struct {
	Entries    []AuditEntry `json:"entries"`
	NextCursor string       `json:"next_cursor,omitempty"`
}

// Audit lists changes of policies, thresholds, tables, atlases, contexts, packs and tokens, and steps of approvals,
// proposals and appeals, with who made them. It lists only the last application of a pack. It returns a validation_error
// for an invalid time or cursor.
func (s *Store) Audit(ctx context.Context, q AuditQuery) (AuditList, error) {
	params, err := policies.PageParameters(q.DateBefore, q.Page)
	if err != nil {
		return AuditList{}, err
	}
	if params["since"], err = policies.ParseTime("date_after", q.DateAfter); err != nil {
		return AuditList{}, err
	}
	if params["since"] == nil {
		params["since"] = time.Unix(0, 0).UTC()
	}
	limit := q.Limit
	if limit <= 0 {
		limit = policies.DefaultLimit
	}
	params["limit"], params["by"], params["kind"] = limit+1, graph.NullIfEmpty(strings.ToLower(q.By)), graph.NullIfEmpty(q.Kind)
	rows, err := graph.All[struct {
		AuditEntry `mapstructure:",squash"`
		ID         string
	}](ctx, s.graph, cypher.AuditEntries, params)
	if err != nil {
		return AuditList{}, err
	}
	list := AuditList{Entries: []AuditEntry{}}
	for i, row := range rows {
		if i == limit {
			last := rows[i-1]
			list.NextCursor = policies.Position{Name: last.At.Format(time.RFC3339Nano), ID: last.ID}.String()
			break
		}
		row.At = row.At.UTC()
		list.Entries = append(list.Entries, row.AuditEntry)
	}
	return list, nil
}
