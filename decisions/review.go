package decisions

import (
	"context"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"

	"nomograph/cypher"
	"nomograph/fault"
	"nomograph/graph"
	"nomograph/prose"
	"nomograph/trace"
)

// Outcome says how a decision turned out.
type Outcome struct {
	ID           string           `json:"id" jsonschema:"8 hex characters, or the first 4 or more" rule:"minLength=1,maxLength=200"`
	Outcome      string           `json:"outcome,omitempty" jsonschema:"left out, the person is asked" rule:"enum=success|partial|failure|abandoned"`
	ActualResult string           `json:"actual_result,omitempty" jsonschema:"what happened" rule:"maxLength=20000"`
	Lessons      string           `json:"lessons,omitempty" jsonschema:"what to learn from it" rule:"maxLength=20000"`
	Notes        string           `json:"notes,omitempty" jsonschema:"anything else" rule:"maxLength=20000"`
	AffectedKPIs graph.Parameters `json:"affected_kpis,omitempty" jsonschema:"a number or text by name"`
	AgentID      string           `json:"agent_id,omitempty" jsonschema:"who reviews, if not the caller" rule:"maxLength=200"`
	Session
}

// Reviewed is the answer to a review.
type Reviewed struct {
	Success          bool      `json:"success"`
	ID               string    `json:"id"`
	URI              string    `json:"uri"`
	Status           string    `json:"status"`
	Outcome          string    `json:"outcome"`
	ReviewedAt       time.Time `json:"reviewed_at"`
	ReviewNumber     int64     `json:"review_number"`
	SupersedesReview int64     `json:"supersedes_review,omitempty" jsonschema:"number of the review that was in force until now; it stays"`
	Reindexed        string    `json:"reindexed" jsonschema:"pending: search finds the lessons within a second"`
	Repeated         bool      `json:"repeated,omitempty" jsonschema:"the same person said just that before; nothing was written"`
}

// Review appends how a decision turned out. A review before it stays, and is no longer in force. It returns not_found, a
// conflict for an ambiguous id, and a validation_error without an outcome or for KPIs that are neither numbers nor text.
func (s *Store) Review(ctx context.Context, o Outcome) (Reviewed, error) {
	if !slices.Contains(OutcomeWords, o.Outcome) {
		return Reviewed{}, fault.New(fault.Validation, "outcome is required").
			WithHint("It is one of %s; where you do not know, ask the person, and do not guess", strings.Join(OutcomeWords, ", "))
	}
	for name, value := range o.AffectedKPIs {
		switch value.(type) {
		case string, int64, float64:
		default:
			return Reviewed{}, fault.Newf(fault.Validation, "affected_kpis.%s is neither a number nor text", name).
				WithHint(`Write {"latency_p99_ms": 12.5, "churn": "down"}`)
		}
	}
	if len(o.AffectedKPIs) > 0 {
		hidden, _ := trace.Redact(map[string]any(o.AffectedKPIs)) // a name may say what its value is
		o.AffectedKPIs = graph.Parameters(hidden.(map[string]any))
	}
	review := Review{InForce: true, Outcome: o.Outcome, ActualResult: trace.Masked(o.ActualResult), Lessons: trace.Masked(o.Lessons), Notes: trace.Masked(o.Notes),
		AffectedKPIs: o.AffectedKPIs, By: trace.Actor(o.AgentID, o.By)}
	var out Reviewed
	var meant Ref
	err := s.graph.Write(ctx, func(tx *graph.Tx) (err error) {
		var now locked
		if meant, now, err = s.lockMeant(ctx, tx, o.ID); err != nil {
			return err
		}
		out = Reviewed{Success: true, ID: meant.ID, URI: URI(meant.ID), Status: "reviewed", Outcome: o.Outcome, Reindexed: "pending"}
		var before Review
		if len(now.Reviews) > 0 {
			before = ReviewOf(now.Reviews[0])
		}
		if before.Same(review) {
			out.Repeated, out.Reindexed, out.ReviewNumber, out.ReviewedAt = true, "done", before.Number, before.At
			return nil
		}
		review.Number = before.Number + 1
		out.ReviewNumber, out.SupersedesReview = review.Number, before.Number
		out.ReviewedAt, err = s.reviewed(ctx, tx, now, review)
		return err
	})
	if err != nil {
		return Reviewed{}, err
	}
	if !out.Repeated {
		s.Note(ctx, Caller{o.AgentID, o.Session}, "review", map[string]any{"id": meant.ID, "uid": meant.UID,
			"decision": prose.Title(meant.Decision), "outcome": o.Outcome, "review_number": out.ReviewNumber,
			"actual_result": review.ActualResult, "lessons": review.Lessons, "notes": review.Notes})
		s.WakeFollowers()
	}
	return out, nil
}

// reviewed writes a review of a locked decision, and gives its time. The statement marks the decision: outcomes are counted
// behind the answer.
func (s *Store) reviewed(ctx context.Context, tx *graph.Tx, now locked, review Review) (time.Time, error) {
	properties, err := review.Properties(s.NewUID())
	if err != nil {
		return time.Time{}, fmt.Errorf("affected_kpis: %w", err)
	}
	after := maps.Clone(now.Decision)
	after["status"], after["outcome"] = "reviewed", review.Outcome
	Searchable(after, now.Reasons, review.Words(), now.Now)
	written, err := graph.One[struct{ At time.Time }](ctx, tx, cypher.DecisionReview,
		graph.Params{"uid": now.Decision["uid"], "review": properties, "properties": Different(now.Decision, after)})
	return written.At.UTC(), err
}

// Words are what search finds a decision by, of a review.
func (r Review) Words() string { return strings.TrimSpace(r.Lessons + "\n" + r.ActualResult) }

// Same tells whether another review says nothing else.
func (r Review) Same(other Review) bool {
	return r.Outcome == other.Outcome && r.ActualResult == other.ActualResult && r.Lessons == other.Lessons && r.Notes == other.Notes && r.By == other.By &&
		(len(r.AffectedKPIs) == 0 && len(other.AffectedKPIs) == 0 || reflect.DeepEqual(r.AffectedKPIs, other.AffectedKPIs))
}
