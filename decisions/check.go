package decisions

import (
	"context"

	"nomograph/internal/redact"
	"nomograph/internal/render"
	"nomograph/policies/gate"
)

// Check is that of the gate, and leaves the question in the session: it is part of the deliberation of what the agent
// decides next.
func (s *Store) Check(ctx context.Context, c gate.ActionCheck) (gate.Verdict, error) {
	verdict, err := s.gate.Check(ctx, c)
	if err != nil {
		return gate.Verdict{}, err
	}
	s.NoteCheck(ctx, c, verdict)
	return verdict, nil
}

// MayRecordInputs says whether events may hold what an action says: what a verdict withholds, an event must not tell.
func (s *Store) MayRecordInputs() bool {
	keep := s.gate.Settings.Keep
	return keep == "" || keep == gate.KeepFull
}

// NoteCheck leaves a question and its verdict in the session.
func (s *Store) NoteCheck(ctx context.Context, c gate.ActionCheck, verdict gate.Verdict) {
	objections := []any{}
	for _, o := range append(verdict.Violations, verdict.Warnings...) {
		objections = append(objections, o.GuardrailID)
	}
	said := map[string]any{"stakes": c.Stakes, "allowed": verdict.Allowed, "verdict_id": verdict.VerdictID, "objections": objections}
	if s.MayRecordInputs() {
		said["description"] = render.Cut(redact.Mask(c.Description), 1000) // before it is cut: half a secret is not known for one
	}
	s.Note(ctx, Caller{c.AgentID, Session{c.SessionID, c.By}}, "check", said)
}
