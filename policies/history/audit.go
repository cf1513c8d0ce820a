package history

import (
	"cmp"
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
	ID     string    `json:"-"`
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
// proposals and appeals, with who made them. It lists only the last application of a pack. It returns a
// validation_error for an invalid time or cursor.
func (s *Store) Audit(ctx context.Context, q AuditQuery) (AuditList, error) {
	since, err := policies.ParseTime("date_after", cmp.Or(q.DateAfter, "1970-01-01"))
	if err != nil {
		return AuditList{}, err
	}
	rows, cursor, err := policies.ReadNewest(ctx, s.graph, cypher.AuditEntries,
		graph.Params{"since": since, "by": graph.NullIfEmpty(strings.ToLower(q.By)),
			"kind": graph.NullIfEmpty(q.Kind)}, q.DateBefore, q.Page,
		func(e AuditEntry) (time.Time, string) { return e.At, e.ID })
	return AuditList{rows, cursor}, err
}
