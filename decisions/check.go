package decisions

import (
	"context"
	"time"

	"nomograph/internal/caller"
	"nomograph/internal/redact"
	"nomograph/internal/render"
	"nomograph/policies/check"
	"nomograph/trace"
)

// eventTimeout limits the wait for the storage of a verdict with its event. Another process may hold the session's
// lock for longer. The event is then written separately after the verdict, and is lost if that takes longer than the
// log's write limit, 30 s.
const eventTimeout = 2 * time.Second

// Check checks an action and records the check in the session, where it becomes part of the deliberation of the agent's
// next decision.
func (s *Store) Check(ctx context.Context, c check.ActionCheck) (check.Verdict, error) {
	evaluated, err := s.checks.Evaluate(ctx, c.Once(ctx))
	if err != nil {
		return check.Verdict{}, err
	}
	if stored, err := s.storeWithEvent(ctx, c, &evaluated); stored || err != nil {
		return evaluated.Verdict, err
	}
	if err := s.checks.StoreVerdict(ctx, &evaluated); err != nil {
		return check.Verdict{}, err
	}
	s.NoteCheck(ctx, c, evaluated.Verdict)
	return evaluated.Verdict, nil
}

// storeWithEvent stores a verdict with its event in one statement, if this process wrote last to the caller's ambient
// session, and no limit applies. It returns false if the verdict must be stored alone: the session accepts no event
// now, or the answer was lost.
func (s *Store) storeWithEvent(ctx context.Context, c check.ActionCheck, evaluated *check.Evaluation) (stored bool,
	err error) {
	who := s.sessionSelector(Caller{c.AgentID, Session{c.SessionID, c.By}})
	_, ok := s.trace.CachedSession(ctx, who)
	if !ok || who.SessionID != "" || len(evaluated.Uses()) > 0 || caller.From(ctx).ViewsPage {
		return false, nil
	}
	row, err := evaluated.Row()
	if err != nil {
		return false, err
	}
	event := s.checkEvent(c, evaluated.Verdict)
	event.Verdict = row
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), eventTimeout)
	defer cancel()
	_, err = s.trace.Append(ctx, who, event)
	return err == nil, nil
}

// MayRecordInputs reports whether events may contain the inputs of an action: an event must not reveal what a verdict
// withholds.
func (s *Store) MayRecordInputs() bool {
	retention := s.checks.Settings.Retention
	return retention == "" || retention == check.RetainFull
}

// NoteCheck records a check and its verdict in the session.
func (s *Store) NoteCheck(ctx context.Context, c check.ActionCheck, verdict check.Verdict) {
	event := s.checkEvent(c, verdict)
	s.Note(ctx, Caller{c.AgentID, Session{c.SessionID, c.By}}, event.Type, event.Payload)
}

func (s *Store) checkEvent(c check.ActionCheck, verdict check.Verdict) trace.Event {
	objections := []any{}
	for _, o := range append(verdict.Violations, verdict.Warnings...) {
		objections = append(objections, o.GuardrailID)
	}
	stated := map[string]any{"stakes": c.Stakes, "allowed": verdict.Allowed, "verdict_id": verdict.VerdictID,
		"objections": objections}
	if s.MayRecordInputs() {
		stated["description"] = render.Cut(redact.Mask(c.Description),
			1000) // before it is cut, because half a secret is not recognized
	}
	return trace.Event{Type: "check", Payload: stated}
}
