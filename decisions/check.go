package decisions

import (
	"context"

	"nomograph/internal/redact"
	"nomograph/internal/render"
	"nomograph/policies/check"
)

// Check checks an action and records the check in the session, where it becomes part of the deliberation of the agent's
// next decision.
func (s *Store) Check(ctx context.Context, c check.ActionCheck) (check.Verdict, error) {
	verdict, err := s.checks.Check(ctx, c)
	if err != nil {
		return check.Verdict{}, err
	}
	s.NoteCheck(ctx, c, verdict)
	return verdict, nil
}

// MayRecordInputs reports whether events may contain the inputs of an action: an event must not reveal what a verdict
// withholds.
func (s *Store) MayRecordInputs() bool {
	keep := s.checks.Settings.Keep
	return keep == "" || keep == check.KeepFull
}

// NoteCheck records a check and its verdict in the session.
func (s *Store) NoteCheck(ctx context.Context, c check.ActionCheck, verdict check.Verdict) {
	objections := []any{}
	for _, o := range append(verdict.Violations, verdict.Warnings...) {
		objections = append(objections, o.GuardrailID)
	}
	stated := map[string]any{"stakes": c.Stakes, "allowed": verdict.Allowed, "verdict_id": verdict.VerdictID, "objections": objections}
	if s.MayRecordInputs() {
		stated["description"] = render.Cut(redact.Mask(c.Description), 1000) // before it is cut: half a secret is not known for one
	}
	s.Note(ctx, Caller{c.AgentID, Session{c.SessionID, c.By}}, "check", stated)
}
