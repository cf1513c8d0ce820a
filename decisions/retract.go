package decisions

import (
	"context"
	"strings"

	"nomograph/cypher"
	"nomograph/graph"
	"nomograph/internal/apperr"
	"nomograph/internal/redact"
	"nomograph/internal/render"
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
		return Retracted{}, apperr.New(apperr.Validation, "`reason` is empty").WithHint("State the reason for later readers of the decision")
	}
	ref, err := s.Resolve(ctx, r.ID)
	if err != nil {
		return Retracted{}, err
	}
	by := r.Actor()
	var out Retracted
	err = s.graph.Write(ctx, func(tx *graph.Tx) error {
		now, err := lock(ctx, tx, ref)
		if err != nil {
			return err
		}
		revision, _ := now.Decision["revision"].(int64)
		out = Retracted{Success: true, ID: ref.ID, Retracted: !r.Undo, Changed: (now.Decision["retracted_at"] != nil) == r.Undo, Revision: revision}
		if !out.Changed {
			return nil
		}
		out.Revision++
		to := map[string]any{"retracted_at": graph.UTC(now.Now), "retracted_by": by, "retraction": reason}
		changes := map[string]Change{}
		for name, value := range to {
			if r.Undo {
				value = nil
			}
			changes[name] = Change{now.Decision[name], value}
		}
		params, err := s.updateParameters(now, changes, map[string]any{"uid": s.NewUID(), "schema_version": 1, "number": out.Revision, "by": by, "why": reason})
		if err != nil {
			return err
		}
		if err := tx.Run(ctx, cypher.DecisionUpdate, params); err != nil {
			return err
		}
		return tx.Run(ctx, cypher.RetractedSet, graph.Params{"uid": ref.UID, "retracted": out.Retracted})
	})
	if err != nil {
		return Retracted{}, err
	}
	if out.Changed {
		s.Note(ctx, r.Caller, "update", map[string]any{"id": ref.ID, "uid": ref.UID, "decision": render.Title(ref.Decision),
			"updated_fields": graph.List([]string{"retracted_at"}), "retracted": out.Retracted, "revision": out.Revision, "why": reason})
		s.WakeWorkers()
	}
	return out, nil
}
