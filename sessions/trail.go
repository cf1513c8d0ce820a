package sessions

import (
	"context"
	"encoding/json"
	"strings"

	"nomograph/fault"
	"nomograph/trace"
)

// TraceQuery asks for the trail of a session.
type TraceQuery struct {
	SessionID string `json:"session_id,omitempty" jsonschema:"session, if not the one that was started last" rule:"maxLength=200"`
	Format    string `json:"format,omitempty" jsonschema:"json: events; jsonl: the same as text, a line each" rule:"enum=json|jsonl,default=\"json\""`
	Limit     int    `json:"limit,omitempty" jsonschema:"at most this many events" rule:"minimum=1,maximum=500,default=100"`
	Cursor    string `json:"cursor,omitempty" jsonschema:"next_cursor of the page before" rule:"maxLength=20"`
	By        string `json:"-"`
}

// Trail is a page of a session's events.
type Trail struct {
	Session       trace.SessionRow `json:"session"`
	ChainVerified bool             `json:"chain_verified"`
	Events        []trace.EventRow `json:"events,omitempty"`
	Lines         string           `json:"lines,omitempty" jsonschema:"the events as JSON lines"`
	NextCursor    string           `json:"next_cursor,omitempty"`
}

// Trace gives what happened in a session of the caller's, in order, and whether its chain holds. It returns not_found, and a conflict for a
// session of another agent.
func (s *Store) Trace(ctx context.Context, q TraceQuery) (Trail, error) {
	id := q.SessionID
	session, err := s.governed(ctx, Caller{SessionID: id, By: q.By})
	switch {
	case err == nil && session.UID == "":
		return Trail{}, fault.Newf(fault.NotFound, "There is no session of '%s'", trace.Actor("", q.By)).WithHint("`cra_start_session` starts one")
	case err == nil:
		id = session.UID
	case !fault.Is(err, fault.Conflict) || !strings.Contains(fault.From(err).Message, "has ended"): // one that has ended can be read
		return Trail{}, err
	}
	page, err := s.trace.Session(ctx, trace.SessionQuery{SessionID: id, Limit: q.Limit, Cursor: q.Cursor})
	if err != nil {
		return Trail{}, err
	}
	verified, err := s.trace.Verify(ctx, trace.VerifyRequest{Sessions: []string{page.Session.UID}})
	if err != nil {
		return Trail{}, err
	}
	out := Trail{Session: page.Session, ChainVerified: verified.Intact, NextCursor: page.NextCursor}
	if q.Format != "jsonl" {
		out.Events = page.Events
		return out, nil
	}
	var lines strings.Builder
	for _, event := range page.Events {
		line, err := json.Marshal(event)
		if err != nil {
			return Trail{}, err
		}
		lines.Write(line)
		lines.WriteByte('\n')
	}
	out.Lines = lines.String()
	return out, nil
}
