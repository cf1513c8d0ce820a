package sessions

import (
	"context"
	"encoding/json"
	"time"

	"nomograph/cypher"
	"nomograph/graph"
	"nomograph/internal/apperr"
	"nomograph/internal/redact"
	"nomograph/trace"
)

// End names a session to end.
type End struct {
	Summary string `json:"summary,omitempty" jsonschema:"what was accomplished" rule:"maxLength=10000"`
	Caller
}

// Ended summarizes a session.
type Ended struct {
	SessionID     string    `json:"session_id"`
	DurationMS    int64     `json:"duration_ms"`
	EventCount    int64     `json:"event_count"`
	ContextsGiven int64     `json:"contexts_given"`
	Actions       Actions   `json:"actions" jsonschema:"number of reported actions by answer"`
	ChainVerified bool      `json:"chain_verified" jsonschema:"true if the hash chain is valid"`
	FinalHash     string    `json:"final_hash" jsonschema:"hash of the last event; store it externally to verify with verify_trace later"`
	EndedAt       time.Time `json:"ended_at"`
}

// End ends a session. It returns not_found, and a conflict for a session that has ended or belongs to another agent.
// The event ends the session: of several concurrent calls one succeeds, the others get the conflict.
func (s *Store) End(ctx context.Context, q End) (Ended, error) {
	session, err := s.governed(ctx, q.Caller)
	if err != nil {
		return Ended{}, err
	}
	if session.UID == "" {
		return Ended{}, apperr.Newf(apperr.NotFound, "'%s' has no open session", q.actor()).
			WithHint("Start one with `cra_start_session`, or pass the `session_id` if another process or window started it")
	}
	if _, err := s.trace.Append(ctx, s.selectorOf(q.Caller, session),
		trace.Event{Type: trace.Ending, Payload: map[string]any{"summary": q.Summary}}); err != nil {
		return Ended{}, err
	}
	out, err := graph.Append[Ended](ctx, s.graph, cypher.SessionEnd, graph.Params{"uid": session.UID,
		"summary": graph.NullIfEmpty(redact.Mask(q.Summary))})
	if err != nil {
		return Ended{}, err
	}
	verified, err := s.trace.Verify(ctx, trace.VerifyRequest{Sessions: []string{session.UID}})
	if err != nil {
		return Ended{}, err
	}
	out.SessionID, out.ChainVerified = session.ID, verified.Intact
	out.Actions, err = s.actions(ctx, session.UID)
	return out, err
}

// Actions counts the answers to reported actions.
type Actions struct {
	Approved         int `json:"approved"`
	Denied           int `json:"denied"`
	NeededApproval   int `json:"needed_approval" jsonschema:"number of reports that needed approval"`
	ApprovedByPerson int `json:"approved_by_person" jsonschema:"number approved by a person"`
}

// actions counts the reports of a session.
func (s *Store) actions(ctx context.Context, session string) (Actions, error) {
	rows, err := graph.All[struct{ Payload string }](ctx, s.graph, cypher.SessionReports,
		graph.Params{"session": session})
	var counted Actions
	for _, row := range rows {
		var report struct {
			Decision string `json:"decision"`
			Approval string `json:"approval_id"`
		}
		_ = json.Unmarshal([]byte(row.Payload), &report) // verify_trace detects modified events
		switch report.Decision {
		case Approved:
			counted.Approved++
			if report.Approval != "" {
				counted.ApprovedByPerson++
			}
		case DeniedAction:
			counted.Denied++
		case NeedsApproval:
			counted.NeededApproval++
		}
	}
	return counted, err
}
