package check

import (
	"context"
	"slices"
	"time"

	"nomograph/internal/caller"
	"nomograph/internal/lists"
	"nomograph/internal/redact"
	"nomograph/internal/render"
	"nomograph/trace"
)

// eventTimeout limits the wait for the storage of a verdict with its event. Another process may hold the session's
// lock for longer. The event is then written separately after the verdict, and is lost if that takes longer than the
// log's write limit, 30 s.
const eventTimeout = 2 * time.Second

// CheckInSession is Check that also records the check in the session, where it becomes part of the deliberation of the
// agent's next decision.
func (s *Store) CheckInSession(ctx context.Context, c ActionCheck) (Verdict, error) {
	evaluated, err := s.Evaluate(ctx, c.Once(ctx))
	if err != nil {
		return Verdict{}, err
	}
	who := s.sessionOf(c)
	if stored, err := s.storeWithEvent(ctx, who, c, &evaluated); stored || err != nil {
		return evaluated.Verdict, err
	}
	if err := s.StoreVerdict(ctx, &evaluated); err != nil {
		return Verdict{}, err
	}
	if !caller.From(ctx).ViewsPage {
		s.Trace.AppendAsync(ctx, who, s.Event(c, evaluated.Verdict))
	}
	return evaluated.Verdict, nil
}

// sessionOf selects the session of a check: its own, or the ambient one of its agent.
func (s *Store) sessionOf(c ActionCheck) trace.SessionSelector {
	return trace.SessionSelector{Agent: trace.Actor(c.AgentID, c.By), Workspace: s.Settings.Workspace,
		SessionID: c.SessionID}
}

// storeWithEvent stores a verdict with its event in one statement, if this process wrote last to the caller's ambient
// session, and no limit applies. It returns false if the verdict must be stored alone: the session accepts no event
// now, or the answer was lost.
func (s *Store) storeWithEvent(ctx context.Context, who trace.SessionSelector, c ActionCheck,
	evaluated *Evaluation) (stored bool, err error) {
	_, ok := s.Trace.CachedSession(ctx, who)
	if !ok || who.SessionID != "" || len(evaluated.Uses()) > 0 || caller.From(ctx).ViewsPage {
		return false, nil
	}
	row, err := evaluated.Row()
	if err != nil {
		return false, err
	}
	event := s.Event(c, evaluated.Verdict)
	event.Verdict = row
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), eventTimeout)
	defer cancel()
	_, err = s.Trace.Append(ctx, who, event)
	return err == nil, nil
}

// MayRecordInputs reports whether events may contain the inputs of an action: an event must not reveal what a verdict
// withholds.
func (s *Store) MayRecordInputs() bool {
	return s.Settings.Retention == "" || s.Settings.Retention == RetainFull
}

// Event returns the event of a check.
func (s *Store) Event(c ActionCheck, verdict Verdict) trace.Event {
	objections := lists.Map(slices.Concat(verdict.Violations, verdict.Warnings),
		func(o Violation) any { return o.GuardrailID })
	stated := map[string]any{"stakes": c.Stakes, "allowed": verdict.Allowed, "verdict_id": verdict.VerdictID,
		"objections": objections}
	if s.MayRecordInputs() { // masked before it is cut, because half a secret is not recognized
		stated["description"] = render.Cut(redact.Mask(c.Description), 1000)
	}
	return trace.Event{Type: "check", Payload: stated}
}
