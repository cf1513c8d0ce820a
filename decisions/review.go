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
	"nomograph/graph"
	"nomograph/internal/apperr"
	"nomograph/internal/caller"
	"nomograph/internal/redact"
	"nomograph/internal/render"
	"nomograph/internal/reviewsample"
	"nomograph/trace"
)

// Outcome is a review to be added.
type Outcome struct {
	ID           string           `json:"id" jsonschema:"decision id or its first 4 characters" rule:"minLength=1,maxLength=200"`
	Outcome      string           `json:"outcome,omitempty" jsonschema:"outcome; if absent, a person is asked" rule:"enum=success|partial|failure|abandoned"`
	ActualResult string           `json:"actual_result,omitempty" jsonschema:"what happened" rule:"maxLength=20000"`
	Lessons      string           `json:"lessons,omitempty" jsonschema:"what to learn from it" rule:"maxLength=20000"`
	Notes        string           `json:"notes,omitempty" jsonschema:"anything else" rule:"maxLength=20000"`
	AffectedKPIs graph.Parameters `json:"affected_kpis,omitempty" jsonschema:"values by KPI name"`
	AgentID      string           `json:"agent_id,omitempty" jsonschema:"reviewing agent (default the caller)" rule:"maxLength=200" claim:"agent"`
	Source       string           `json:"-"` // FromGit for evidence from git; else set from the transport
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
	SupersedesReview int64     `json:"supersedes_review,omitempty" jsonschema:"number of the superseded review"`
	Reindexed        string    `json:"reindexed" jsonschema:"pending (lessons are searchable within a second)"`
	Repeated         bool      `json:"repeated,omitempty" jsonschema:"true if the same review exists; nothing was written"`
}

// Review adds a review. Earlier reviews remain but no longer count. It returns not_found, a conflict for an ambiguous
// id, and a validation_error for a missing outcome or invalid KPIs.
func (s *Store) Review(ctx context.Context, o Outcome) (Reviewed, error) {
	if !slices.Contains(OutcomeValues, o.Outcome) {
		return Reviewed{}, apperr.New(apperr.Validation, "outcome is required").
			WithHint("Use %s. If you do not know it, ask the person; do not guess", strings.Join(OutcomeValues, ", "))
	}
	for name, value := range o.AffectedKPIs {
		switch value.(type) {
		case string, int64, float64:
		default:
			return Reviewed{}, apperr.Newf(apperr.Validation, "affected_kpis.%s must be a number or text", name).
				WithHint(`Use a form such as {"latency_p99_ms": 12.5, "churn": "down"}`)
		}
	}
	if len(o.AffectedKPIs) > 0 {
		// the name of a field can show that its value is secret
		hidden, _ := redact.Value(map[string]any(o.AffectedKPIs))
		o.AffectedKPIs = graph.Parameters(hidden.(map[string]any))
	}
	review := Review{InForce: true, Outcome: o.Outcome, ActualResult: redact.Mask(o.ActualResult),
		Lessons: redact.Mask(o.Lessons), Notes: redact.Mask(o.Notes),
		AffectedKPIs: o.AffectedKPIs, By: trace.Actor(o.AgentID, o.By)}
	review.ByAuthenticated, review.Source = reviewer(ctx, o.Source)
	ref, err := s.Resolve(ctx, o.ID)
	if err != nil {
		return Reviewed{}, err
	}
	out, err := s.writeReview(ctx, ref, review)
	if err != nil {
		return Reviewed{}, err
	}
	if !out.Repeated {
		s.Note(ctx, Caller{o.AgentID, o.Session}, "review", map[string]any{"id": ref.ID, "uid": ref.UID,
			"decision": render.Title(ref.Decision), "outcome": o.Outcome, "review_number": out.ReviewNumber,
			"actual_result": review.ActualResult, "lessons": review.Lessons, "notes": review.Notes})
		s.WakeWorkers()
	}
	return out, nil
}

// reviewer returns whether the caller is authenticated, and the source of its reviews.
func reviewer(ctx context.Context, source string) (*bool, string) {
	who := caller.From(ctx)
	if source == "" {
		switch who.Transport {
		case caller.Pages:
			source = FromPerson
		case "", caller.CommandLine:
		default:
			source = FromAgent
		}
	}
	return &who.Authenticated, source
}

// writeReview adds a review to a locked decision. The statement marks the decision: outcomes are aggregated in the
// background.
func (s *Store) writeReview(ctx context.Context, ref Ref, review Review) (out Reviewed, err error) {
	err = s.graph.Write(ctx, func(tx *graph.Tx) error {
		now, err := lock(ctx, tx, ref)
		if err != nil {
			return err
		}
		out = Reviewed{Success: true, ID: ref.ID, URI: URI(ref.ID), Status: "reviewed", Outcome: review.Outcome,
			Reindexed: "pending"}
		var before Review
		if len(now.Reviews) > 0 {
			before = ReviewOf(now.Reviews[0])
		}
		if before.Same(review) {
			out.Repeated, out.Reindexed, out.ReviewNumber, out.ReviewedAt = true, "done", before.Number, before.At
			return nil
		}
		out.ReviewNumber, out.SupersedesReview = before.Number+1, before.Number
		params, err := s.reviewParams(now, review, out.ReviewNumber)
		if err != nil {
			return err
		}
		written, err := graph.One[struct{ At time.Time }](ctx, tx, cypher.DecisionReview, params)
		out.ReviewedAt = written.At.UTC()
		return err
	})
	return out, err
}

// reviewParams returns the review with its number, and the properties of the decision that it changes.
func (s *Store) reviewParams(now locked, review Review, number int64) (graph.Params, error) {
	review.Number = number
	if reviewsample.Drawn(graph.Text(now.Decision, "uid")) {
		review.Drawn = reviewsample.Probability
	}
	properties, err := review.Properties(s.NewUID())
	if err != nil {
		return nil, fmt.Errorf("affected_kpis: %w", err)
	}
	after := maps.Clone(now.Decision)
	after["status"], after["outcome"] = "reviewed", review.Outcome
	SearchText(after, now.Reasons, review.Words(), now.Now)
	return graph.Params{"uid": now.Decision["uid"], "review": properties,
		"properties": ChangedProperties(now.Decision, after)}, nil
}

// Words returns the text of a review for search.
func (r Review) Words() string { return strings.TrimSpace(r.Lessons + "\n" + r.ActualResult) }

// Same reports whether another review is equal. The same text counts again once its author is authenticated.
func (r Review) Same(other Review) bool {
	return r.Outcome == other.Outcome && r.ActualResult == other.ActualResult && r.Lessons == other.Lessons &&
		r.Notes == other.Notes && r.By == other.By && r.byAuthenticated() == other.byAuthenticated() &&
		(len(r.AffectedKPIs) == 0 && len(other.AffectedKPIs) == 0 ||
			reflect.DeepEqual(r.AffectedKPIs, other.AffectedKPIs))
}

func (r Review) byAuthenticated() bool { return r.ByAuthenticated != nil && *r.ByAuthenticated }
