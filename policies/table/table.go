package table

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"nomograph/graph"
	"nomograph/internal/apperr"
	"nomograph/internal/lists"
	"nomograph/policies"
)

// Query evaluates a decision table for inputs.
type Query struct {
	Table  string           `json:"table" jsonschema:"table, such as D10" rule:"minLength=1,maxLength=200"`
	Inputs graph.Parameters `json:"inputs" jsonschema:"input values by name; see get_table"`
	Scope  string           `json:"scope,omitempty" jsonschema:"scope; uses the thresholds' variants for it if they exist" rule:"maxLength=200"`
}

// Answer lists the matching rows. Rows is empty and Matched false if no row matches; the table then decides nothing.
type Answer struct {
	Table     string   `json:"table"`
	HitPolicy string   `json:"hit_policy"`
	Matched   bool     `json:"matched"`
	Rows      []RowHit `json:"rows"`
	Outputs   any      `json:"outputs" jsonschema:"outputs of the matching row; with hit policy ALL see rows"`
	Version   string   `json:"version" jsonschema:"SHA-256 of the table with its rows"`
	Evaluated int      `json:"evaluated" jsonschema:"number of evaluated rows"`
}

// RowHit is a matching row with the values that it read.
type RowHit struct {
	RowID      string                           `json:"row_id"`
	Conditions string                           `json:"conditions,omitempty"`
	Outputs    any                              `json:"outputs"`
	Values     map[string]any                   `json:"values" jsonschema:"inputs it read; null if absent"`
	Thresholds map[string]policies.ThresholdUse `json:"thresholds"`
}

// The hit policies: the first matching row, the only one that may match, or all matching rows.
const (
	HitFirst  = "FIRST"
	HitUnique = "UNIQUE"
	hitAll    = "ALL"
)

// Table is a table with its rows in the order of evaluation.
type Table struct {
	ID         string
	properties map[string]any
	Rows       []Row
	version    string
}

// New compiles the rows and sorts them by priority, rows without a priority last, then by id.
func New(id string, properties map[string]any, version string, rows []Row) Table {
	slices.SortStableFunc(rows, func(a, b Row) int {
		return cmp.Or(cmp.Compare(a.priority(), b.priority()), strings.Compare(a.ID, b.ID))
	})
	return Table{ID: id, properties: properties, Rows: rows, version: version}
}

// HitPolicy returns FIRST, UNIQUE or ALL. Anything else is a conflict, because a wrong hit policy can give the opposite
// answer.
func (t Table) HitPolicy() (string, error) {
	written, _ := t.properties["hit_policy"].(string)
	if policy := strings.ToUpper(strings.TrimSpace(written)); slices.Contains([]string{HitFirst, HitUnique, hitAll},
		policy) {
		return policy, nil
	}
	return "", apperr.Newf(apperr.Conflict, "Decision table '%s' has an unknown hit policy: %s", t.ID,
		policies.ShowValueOrNone(t.properties["hit_policy"])).
		WithHint("Set hit_policy of its SYS_DecisionTable node to FIRST (the first matching row), UNIQUE (the only one) or ALL")
}

// Evaluate evaluates a decision table for inputs with the live thresholds. It returns not_found with similar ids, and
// a conflict for an ambiguous id, an unknown hit policy, a table without rows, or two matching rows under UNIQUE.
// Missing and unknown inputs are a validation_error. It returns rule_failed if a row that could match cannot be
// evaluated. The time limit is Timeout, two seconds by default.
func (s *Store) Evaluate(ctx context.Context, q Query) (Answer, error) {
	if _, err := s.graph.Connect(ctx); err != nil { // waits for a starting database, so that it does not count as an error of a row
		return Answer{}, err
	}
	ctx, cancel := context.WithTimeout(ctx, s.tableTimeout())
	defer cancel()
	table, stored, err := s.read(ctx, q.Table)
	if err != nil {
		return Answer{}, err
	}
	return table.Evaluate(ctx, q, stored.Now, policies.ThresholdsAmong(stored.Thresholds))
}

const (
	timeout = 2 * time.Second
	// A database that has just started plans its first statements for seconds. Each process allows for this once
	// after a start.
	startupTimeout = 15 * time.Second
)

func (s *Store) tableTimeout() time.Duration {
	limit := s.Timeout
	if limit <= 0 {
		limit = timeout
	}
	if s.planned.Load() != s.graph.ConnectionLosses()+1 {
		return max(limit, startupTimeout)
	}
	return limit
}

// Evaluate returns the answer for the inputs, or the errors of Store.Evaluate.
func (t Table) Evaluate(ctx context.Context, q Query, now time.Time, thresholds policies.ThresholdSource) (Answer,
	error) {
	policy, err := t.HitPolicy()
	if err != nil {
		return Answer{}, err
	}
	if len(t.Rows) == 0 {
		return Answer{}, apperr.Newf(apperr.Conflict, "Decision table '%s' has no rows", t.ID).
			WithHint("Add rows with a pack, or link SYS_DecisionRow nodes to it by HAS_ROW")
	}
	if err := t.checkInputs(q.Inputs); err != nil {
		return Answer{}, err
	}
	answer := Answer{Table: t.ID, HitPolicy: policy, Version: t.version}
	for _, row := range t.Rows {
		answer.Evaluated++
		hit, err := row.evaluate(ctx, q, now, thresholds)
		if err != nil {
			return Answer{}, t.rowError(ctx, row, err)
		}
		if hit == nil {
			continue
		}
		answer.Rows = append(answer.Rows, *hit)
		if policy == HitFirst {
			break
		}
	}
	if policy == HitUnique && len(answer.Rows) > 1 {
		return Answer{}, t.ambiguous(answer.Rows)
	}
	answer.Matched = len(answer.Rows) > 0
	if answer.Matched && policy != hitAll {
		answer.Outputs = answer.Rows[0].Outputs
	}
	return answer, nil
}

func (t Table) ambiguous(rows []RowHit) error {
	ids := lists.Map(rows, func(row RowHit) string { return row.RowID })
	return apperr.Newf(apperr.Conflict, "%d rows of '%s' match, and its hit policy UNIQUE allows one: %s", len(rows),
		t.ID, strings.Join(ids, ", ")).
		WithHint("Change their conditions so that only one matches; `lint_policies` shows overlapping rows").
		With("rows", rows)
}

// rowError returns the error of a row that cannot be evaluated. There is no answer then, because that row might have
// matched.
func (t Table) rowError(ctx context.Context, row Row, cause error) error {
	reason := cause.Error()
	hint := "Nothing was decided. Correct the row or the inputs; `get_table` shows both"
	var f *apperr.Error
	switch {
	case ctx.Err() != nil:
		reason, hint = "no time was left", "Nothing was decided. Try again; a condition that loops over long lists costs most"
	case row.Broken != nil:
		reason = "its condition is invalid: " + reason
		hint = "Nothing was decided. " + RowHint
	case errors.As(cause, &f):
		reason, hint = f.Message, "Nothing was decided. "+f.Hint
	case strings.HasPrefix(reason, "there is no "):
		hint = "Nothing was decided. Pass what the row reads, or check it with has() first"
	case strings.HasPrefix(reason, "SYS_Threshold "):
		hint = "Nothing was decided. Restore the threshold with `apply_packs`, or set a value"
	}
	return apperr.Newf(apperr.RuleFailed, "The row '%s' of '%s' could not be evaluated: %s", row.ID, t.ID, reason).
		WithHint("%s", hint).With("row", row.ID).With("conditions", graph.JSON(row.Properties["conditions"])).
		Because(cause)
}
