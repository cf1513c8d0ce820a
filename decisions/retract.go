package decisions

import (
	"context"
	"strings"

	"nomograph/graph"
	"nomograph/internal/apperr"
	"nomograph/internal/redact"
)

// Retraction asks to retract a decision, or to undo its retraction.
type Retraction struct {
	ID     string `json:"id" jsonschema:"decision id or its first 4 characters" rule:"minLength=1,maxLength=200"`
	Reason string `json:"reason" jsonschema:"reason, shown with the decision" rule:"minLength=1,maxLength=2000"`
	Undo   bool   `json:"undo,omitempty" jsonschema:"undo the retraction"`
	Caller
}

// Retracted says whether a decision is retracted.
type Retracted struct {
	Success   bool   `json:"success"`
	ID        string `json:"id"`
	Retracted bool   `json:"retracted"`
	Changed   bool   `json:"changed" jsonschema:"false if nothing changed"`
	Revision  int64  `json:"revision"`
}

// Retract removes a decision from searches, lists, contexts and action items, and preserves it with who, when and
// why. Its text, links and reviews remain, and so does its effect on counters and circuit breakers, so that
// retracting failures improves no statistics. Undo reverts it. The history gets a Revision of each. It returns the
// errors of Resolve, and a validation_error for an empty reason.
func (s *Store) Retract(ctx context.Context, r Retraction) (Retracted, error) {
	reason := strings.TrimSpace(redact.Mask(r.Reason))
	if reason == "" {
		return Retracted{}, apperr.New(apperr.Validation, "`reason` is empty").
			WithHint("State the reason for later readers of the decision")
	}
	ref, err := s.Resolve(ctx, r.ID)
	if err != nil {
		return Retracted{}, err
	}
	done, err := s.revise(ctx, r.Caller, revising{Ref: ref, by: r.Actor(), why: reason,
		noted: map[string]any{"updated_fields": []any{"retracted_at"}, "retracted": !r.Undo},
		changes: func(now locked) (map[string]Change, error) {
			if (now.Decision["retracted_at"] != nil) != r.Undo {
				return nil, nil
			}
			changes := map[string]Change{}
			for name, value := range map[string]any{"retracted_at": graph.UTC(now.Now), "retracted_by": r.Actor(),
				"retraction": reason} {
				if r.Undo {
					value = nil
				}
				changes[name] = Change{now.Decision[name], value}
			}
			return changes, nil
		}})
	if err != nil {
		return Retracted{}, err
	}
	return Retracted{Success: true, ID: ref.ID, Retracted: !r.Undo, Changed: len(done.changes) > 0,
		Revision: done.number}, nil
}
