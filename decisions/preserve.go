package decisions

import (
	"context"

	"nomograph/internal/redact"
)

// PreserveRequest asks to show a decision in full in every view, or to end that.
type PreserveRequest struct {
	ID       string `json:"id" jsonschema:"decision id or its first 4 characters" rule:"minLength=1,maxLength=200"`
	Preserve *bool  `json:"preserve,omitempty" jsonschema:"true to preserve, false to stop" rule:"default=true"`
	Why      string `json:"reason,omitempty" jsonschema:"reason for the history" rule:"maxLength=2000"`
	Caller
}

// Preserved says whether a decision is preserved.
type Preserved struct {
	Success  bool   `json:"success"`
	ID       string `json:"id"`
	Preserve bool   `json:"preserve"`
	Changed  bool   `json:"changed" jsonschema:"false if nothing changed"`
	Revision int64  `json:"revision"`
}

// SetPreserve marks a decision that every view shows in full, however old it is, or removes the mark. The history gets
// a Revision. It returns the errors of Resolve.
func (s *Store) SetPreserve(ctx context.Context, r PreserveRequest) (Preserved, error) {
	ref, err := s.Resolve(ctx, r.ID)
	if err != nil {
		return Preserved{}, err
	}
	preserve := r.Preserve == nil || *r.Preserve
	done, err := s.revise(ctx, r.Caller, revising{Ref: ref, by: r.Actor(), why: redact.Mask(r.Why),
		noted: map[string]any{"preserve": preserve},
		changes: func(now locked) (map[string]Change, error) {
			if before, _ := now.Decision["preserve"].(bool); before == preserve {
				return nil, nil
			}
			return map[string]Change{"preserve": {now.Decision["preserve"], trueOrNull(preserve)}}, nil
		}})
	if err != nil {
		return Preserved{}, err
	}
	return Preserved{Success: true, ID: ref.ID, Preserve: preserve, Changed: len(done.changes) > 0,
		Revision: done.number}, nil
}

// trueOrNull removes a property instead of storing false.
func trueOrNull(yes bool) any {
	if yes {
		return true
	}
	return nil
}
