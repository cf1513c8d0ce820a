package decisions

import (
	"context"

	"nomograph/cypher"
	"nomograph/graph"
	"nomograph/internal/redact"
	"nomograph/internal/render"
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

// SetPreserve marks a decision that every view shows in full, however old it is, or removes the mark. The history gets a
// Revision. It returns the errors of Resolve.
func (s *Store) SetPreserve(ctx context.Context, r PreserveRequest) (Preserved, error) {
	ref, err := s.Resolve(ctx, r.ID)
	if err != nil {
		return Preserved{}, err
	}
	preserve := r.Preserve == nil || *r.Preserve
	by, why := r.Actor(), redact.Mask(r.Why)
	var out Preserved
	err = s.graph.Write(ctx, func(tx *graph.Tx) error {
		now, err := lock(ctx, tx, ref)
		if err != nil {
			return err
		}
		before, _ := now.Decision["preserve"].(bool)
		revision, _ := now.Decision["revision"].(int64)
		out = Preserved{Success: true, ID: ref.ID, Preserve: preserve, Changed: before != preserve, Revision: revision}
		if !out.Changed {
			return nil
		}
		out.Revision++
		params, err := s.updateParameters(now, map[string]Change{"preserve": {now.Decision["preserve"], trueOrNull(preserve)}},
			map[string]any{"uid": s.NewUID(), "schema_version": 1, "number": out.Revision, "by": by, "why": why})
		if err != nil {
			return err
		}
		if err := tx.Run(ctx, cypher.DecisionUpdate, params); err != nil {
			return err
		}
		return tx.Run(ctx, cypher.PreservedSet, graph.Params{"uid": ref.UID, "preserve": preserve})
	})
	if err != nil {
		return Preserved{}, err
	}
	if out.Changed {
		s.Note(ctx, r.Caller, "update", map[string]any{"id": ref.ID, "uid": ref.UID, "decision": render.Title(ref.Decision),
			"updated_fields": graph.List([]string{"preserve"}), "preserve": preserve, "revision": out.Revision, "why": why})
		s.WakeWorkers()
	}
	return out, nil
}

// trueOrNull removes a property instead of storing false.
func trueOrNull(yes bool) any {
	if yes {
		return true
	}
	return nil
}
