package links

import (
	"cmp"
	"context"
	"time"

	"nomograph/cypher"
	"nomograph/decisions"
	"nomograph/graph"
	"nomograph/internal/apperr"
)

// LineageQuery asks which decisions depend on a decision, or on which it depends; or, with Failed, which failures still
// have dependents.
type LineageQuery struct {
	ID        string `json:"id,omitempty" jsonschema:"decision id" rule:"maxLength=200"`
	Failed    bool   `json:"failed,omitempty" jsonschema:"instead of id: all failed and abandoned decisions with active dependents, newest first"`
	Direction string `json:"direction,omitempty" rule:"enum=dependents|dependencies,default=\"dependents\""`
	Depth     int    `json:"depth,omitempty" jsonschema:"maximum steps" rule:"minimum=1,maximum=10,default=5"`
	Limit     int    `json:"limit,omitempty" jsonschema:"maximum results" rule:"minimum=1,maximum=500,default=50"`
	Cursor    string `json:"cursor,omitempty" jsonschema:"next_cursor of the previous page; only with failed" rule:"maxLength=2000"`
	decisions.Caller
}

// LineageNode is a decision in a lineage, reached from Via by a link: depends_on, or supersedes, since dependents of a
// superseded decision depend on its successor.
type LineageNode struct {
	Node
	Through string `json:"through" jsonschema:"depends_on or supersedes"`
	Via     string `json:"via" jsonschema:"id of the previous decision on the path"`
}

// FailedDependency is a failed decision with the active decisions that directly depend on it.
type FailedDependency struct {
	Node
	ActiveDependents []Node `json:"active_dependents" jsonschema:"active dependents (neither failed nor superseded), at most 20"`
}

// Lineage is the result of Store.Lineage: the decisions of one lineage, nearest first, or a page of failures.
type Lineage struct {
	ID         string             `json:"id,omitempty"`
	Direction  string             `json:"direction,omitempty"`
	Decisions  []LineageNode      `json:"decisions,omitzero"`
	Pending    int                `json:"pending" jsonschema:"number of decisions without an outcome"`
	Failures   []FailedDependency `json:"failures,omitzero"`
	Truncated  bool               `json:"truncated,omitempty" jsonschema:"true if the limit left out results"`
	NextCursor string             `json:"next_cursor,omitempty"`
}

const (
	maxLineageDepth    = 10 // steps
	defaultLineage     = 5
	defaultFailures    = 50
	maxFailures        = 500
	maxDependentsShown = 20
)

// Lineage follows depends_on, and supersedes in the opposite direction, and records a lookup in the session. It returns
// the errors of Resolve, and a validation_error if neither or both of id and failed are given.
func (s *Store) Lineage(ctx context.Context, q LineageQuery) (Lineage, error) {
	w := traversal{depth: cmp.Or(q.Depth, defaultLineage), limit: cmp.Or(q.Limit, defaultFailures)}
	switch {
	case q.Failed == (q.ID != ""):
		return Lineage{}, apperr.New(apperr.Validation, "`id` or `failed` is required").
			WithHint("Name a decision, or pass `failed` for all failed decisions with dependents")
	case w.depth < 1 || w.depth > maxLineageDepth || w.limit < 1 || w.limit > maxFailures:
		return Lineage{}, apperr.Newf(apperr.Validation, "Invalid `depth` %d or `limit` %d", w.depth, w.limit).
			WithHint("Use a depth from 1 to %d and a limit from 1 to %d", maxLineageDepth, maxFailures)
	case q.Failed:
		return s.failures(ctx, q, w.limit)
	}
	w.limit++ // includes the decision itself
	w.outgoing, w.incoming = []string{"SUPERSEDES"}, []string{"DEPENDS_ON"}
	if q.Direction == "dependencies" {
		w.outgoing, w.incoming = w.incoming, w.outgoing
	}
	a, err := s.neighborhood(ctx, q.ID, w)
	if err != nil {
		return Lineage{}, err
	}
	nodes := a.nodes(0)
	out := Lineage{ID: nodes[0].ID, Direction: cmp.Or(q.Direction, "dependents"), Decisions: []LineageNode{},
		Truncated: a.cut}
	for i, uid := range a.order[1:] {
		by := a.reached[uid]
		if by.EdgeType == "supersedes" && (out.Direction == "dependents" || by.other(uid) == a.order[0]) {
			// only an intermediate node: neither a superseded decision nor the successor of the decision itself
			// depends on it
			continue
		}
		standing := LineageNode{nodes[i+1], by.EdgeType, a.known[by.other(uid)].ID}
		if standing.Outcome == "" {
			out.Pending++
		}
		out.Decisions = append(out.Decisions, standing)
	}
	s.decisions.Note(ctx, q.Caller, "lookup", map[string]any{"id": out.ID, "decision": nodes[0].Title,
		"lineage": int64(len(out.Decisions))})
	return out, nil
}

const failuresInOrder = "failed"

// failurePosition is the position at the end of a page of failures.
type failurePosition struct {
	Sort string    `json:"s"` // cursors of other lists differ here
	Time time.Time `json:"t,omitzero"`
	UID  string    `json:"u"`
}

// failures returns the failed decisions that have dependents. It counts only direct dependents, including those of
// decisions that a failed decision superseded. A failed decision in between has its own entry.
func (s *Store) failures(ctx context.Context, q LineageQuery, limit int) (Lineage, error) {
	after := failurePosition{Sort: failuresInOrder, Time: time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC)}
	if q.Cursor != "" {
		if err := graph.ReadCursor(q.Cursor, &after); err != nil || after.Sort != failuresInOrder {
			return Lineage{}, apperr.New(apperr.Validation, "Invalid cursor").
				WithHint("Pass `next_cursor` of the previous page unchanged")
		}
	}
	rows, err := graph.All[struct {
		UID        string
		At         time.Time
		Node       map[string]any
		Dependents []any `mapstructure:"standing"`
	}](ctx, s.graph, cypher.FailedWithDependents,
		graph.Params{"before": graph.UTC(after.Time), "before_uid": after.UID, "limit": limit + 1,
			"standing": maxDependentsShown})
	if err != nil {
		return Lineage{}, err
	}
	out := Lineage{Failures: []FailedDependency{}}
	for i, row := range rows {
		if i == limit {
			last := rows[i-1]
			out.NextCursor = graph.Cursor(failurePosition{Sort: failuresInOrder, Time: last.At.UTC(), UID: last.UID})
			break
		}
		failure := FailedDependency{Node: nodeOf(row.Node)}
		for _, raw := range row.Dependents {
			node := nodeOf(raw)
			node.Distance = 1
			failure.ActiveDependents = append(failure.ActiveDependents, node)
		}
		out.Failures = append(out.Failures, failure)
	}
	s.decisions.Note(ctx, q.Caller, "lookup", map[string]any{"failures": int64(len(out.Failures))})
	return out, nil
}
