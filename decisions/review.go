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
	"nomograph/internal/draw"
	"nomograph/internal/redact"
	"nomograph/internal/render"
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
	written, err := s.reviewBatched(ctx, o.ID, review)
	if err != nil {
		return Reviewed{}, err
	}
	out, ref := written.out, written.meant
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

// reviewing is a review that is being written.
type reviewing struct {
	called map[string]any // id or uid of the decision
	review Review

	found bool // the decision exists
	meant Ref
	out   Reviewed
	err   error
}

const (
	reviewBatch = 100 // reviews per transaction, which reads and locks their decisions
	reviewLimit = 30 * time.Second
)

// reviewBatched writes a review together with concurrent ones. An id is locked immediately; other references are
// resolved first. It returns not_found, or a conflict for an ambiguous reference.
func (s *Store) reviewBatched(ctx context.Context, ref string, review Review) (*reviewing, error) {
	if id := strings.ToLower(strings.TrimSpace(strings.TrimPrefix(ref, URI("")))); len(id) == IDLength &&
		!caller.From(ctx).Limited() { // batched reviews do not check visibility
		if r, err := s.review(ctx, map[string]any{"id": id}, review); err != nil || r.found {
			return r, err
		}
	}
	resolved, err := s.Resolve(ctx, ref)
	if err != nil {
		return nil, err
	}
	r, err := s.review(ctx, map[string]any{"uid": resolved.UID}, review)
	if err == nil && !r.found {
		err = noLongerExists(resolved)
	}
	return r, err
}

func (s *Store) review(ctx context.Context, called map[string]any, review Review) (*reviewing, error) {
	r := &reviewing{called: called, review: review}
	if _, err := s.reviews.Do(ctx, r); err != nil {
		return nil, err
	}
	return r, r.err
}

// writeReviews writes concurrent reviews in one transaction, since each commit costs the same. If the transaction
// fails, each review is tried alone, so that one review does not fail the others.
func (s *Store) writeReviews(ctx context.Context, all []*reviewing) (struct{}, error) {
	for group := range slices.Chunk(all, reviewBatch) {
		err := s.writeReviewed(ctx, group)
		apart := err != nil && len(group) > 1 && !apperr.Is(err, apperr.Unavailable) &&
			!apperr.Is(err, apperr.QueryTimeout)
		for _, r := range group {
			if apart {
				err = s.writeReviewed(ctx, []*reviewing{r})
			}
			if err != nil {
				r.err = err
			}
		}
	}
	return struct{}{}, nil
}

// writeReviewed writes reviews in one transaction. The statement marks the decisions: outcomes are aggregated in the
// background.
func (s *Store) writeReviewed(ctx context.Context, group []*reviewing) error {
	ctx, cancel := context.WithTimeout(ctx, reviewLimit)
	defer cancel()
	return s.graph.Write(ctx, func(tx *graph.Tx) error {
		for left := group; len(left) > 0; {
			called := make([]any, len(left))
			for i, r := range left {
				called[i] = r.called
			}
			now, err := lockAll(ctx, tx, called)
			if err != nil {
				return err
			}
			rows, writing, later := []any{}, map[any]*reviewing{}, []*reviewing{}
			for i, r := range left {
				r.found, r.meant, r.out, r.err = now[i] != nil, Ref{}, Reviewed{}, nil
				if !r.found {
					continue
				}
				uid := now[i].Decision["uid"]
				if writing[uid] != nil { // a second review of the same decision follows in the next transaction
					later = append(later, r)
					continue
				}
				row, err := s.reviewOf(*now[i], r)
				if err != nil {
					r.err = err
				} else if row != nil {
					rows, writing[uid] = append(rows, row), r
				}
			}
			left = later
			if len(rows) == 0 {
				continue
			}
			written, err := graph.All[struct {
				UID string
				At  time.Time
			}](ctx, tx, cypher.DecisionsReview, graph.Params{"reviews": rows})
			if err != nil {
				return err
			}
			for _, row := range written {
				writing[row.UID].out.ReviewedAt = row.At.UTC()
			}
		}
		return nil
	})
}

// reviewOf returns the row for a review of a locked decision and fills in the answer; nil for a repeated review.
func (s *Store) reviewOf(now locked, r *reviewing) (map[string]any, error) {
	r.meant = Ref{graph.Text(now.Decision, "uid"), graph.Text(now.Decision, "id"), graph.Text(now.Decision, "decision")}
	r.out = Reviewed{Success: true, ID: r.meant.ID, URI: URI(r.meant.ID), Status: "reviewed", Outcome: r.review.Outcome,
		Reindexed: "pending"}
	var before Review
	if len(now.Reviews) > 0 {
		before = ReviewOf(now.Reviews[0])
	}
	if before.Same(r.review) {
		r.out.Repeated, r.out.Reindexed, r.out.ReviewNumber, r.out.ReviewedAt = true, "done", before.Number, before.At
		return nil, nil
	}
	review := r.review
	review.Number = before.Number + 1
	if draw.Drawn(graph.Text(now.Decision, "uid")) {
		review.Drawn = draw.Probability
	}
	r.out.ReviewNumber, r.out.SupersedesReview = review.Number, before.Number
	properties, err := review.Properties(s.NewUID())
	if err != nil {
		return nil, fmt.Errorf("affected_kpis: %w", err)
	}
	after := maps.Clone(now.Decision)
	after["status"], after["outcome"] = "reviewed", review.Outcome
	SearchText(after, now.Reasons, review.Words(), now.Now)
	return map[string]any{"uid": now.Decision["uid"], "review": properties,
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
