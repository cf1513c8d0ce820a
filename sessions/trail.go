package sessions

import (
	"context"
	"encoding/json"
	"strings"

	"nomograph/internal/apperr"
	"nomograph/internal/caller"
	"nomograph/trace"
)

// TraceQuery selects the trail of a session.
type TraceQuery struct {
	Format string `json:"format,omitempty" jsonschema:"json (events), jsonl (one event per line) or trace (the whole session as TRACE/1.0)" rule:"enum=json|jsonl|trace,default=\"json\""`
	Limit  int    `json:"limit,omitempty" jsonschema:"maximum number of events" rule:"minimum=1,maximum=500,default=100"`
	Cursor string `json:"cursor,omitempty" jsonschema:"next_cursor of the previous page" rule:"maxLength=20"`
	Caller
}

// Trail is a page of a session's events.
type Trail struct {
	Session       trace.SessionRow `json:"session"`
	ChainVerified bool             `json:"chain_verified"`
	Events        []trace.EventRow `json:"events,omitempty"`
	Lines         string           `json:"lines,omitempty" jsonschema:"events as JSON lines or TRACE/1.0" recorded:"exact"`
	NextCursor    string           `json:"next_cursor,omitempty"`
}

// Trace returns the events of the caller's session in order, and whether its hash chain is valid. It returns not_found,
// and a conflict for a session of another agent.
func (s *Store) Trace(ctx context.Context, q TraceQuery) (Trail, error) {
	session, err := s.readableSession(ctx, q.Caller)
	if err != nil {
		return Trail{}, err
	}
	verified, err := s.trace.Verify(ctx, trace.VerifyRequest{Sessions: []string{session.UID}})
	if err != nil {
		return Trail{}, err
	}
	out := Trail{ChainVerified: verified.Intact}
	if q.Format == "trace" {
		exported, err := s.trace.Export(ctx, trace.ExportRequest{SessionID: session.UID, Format: trace.FormatTRACE})
		out.Lines, out.Session = exported.Text, exported.Session
		return out, err
	}
	page, err := s.trace.Session(ctx, trace.SessionQuery{SessionID: session.UID, Limit: q.Limit, Cursor: q.Cursor})
	if err != nil {
		return Trail{}, err
	}
	if out.Session, out.NextCursor = page.Session, page.NextCursor; q.Format != "jsonl" {
		out.Events = page.Events
		return out, nil
	}
	var lines strings.Builder
	for _, event := range page.Events {
		line, err := json.Marshal(event)
		if err != nil {
			return Trail{}, err
		}
		lines.Write(append(line, '\n'))
	}
	out.Lines = lines.String()
	return out, nil
}

// readableSession finds a session that the caller may read, also one that has ended. It returns not_found, and a
// conflict for a session of another agent. The owner of the process, and a caller with the permission query for all
// projects, can read every session.
func (s *Store) readableSession(ctx context.Context, c Caller) (governed, error) {
	find := s.anySession
	if who := caller.From(ctx); who.Trusted && c.AgentID == "" || !who.Trusted && c.SessionID != "" &&
		who.May(caller.Query) && !who.Limited() {
		find = s.sessionOfAnyAgent
	}
	session, err := find(ctx, c)
	switch {
	case err != nil:
		return governed{}, err
	case session.UID == "":
		return governed{}, apperr.Newf(apperr.NotFound, "'%s' has no session", c.actor()).
			WithHint("Start one with `cra_start_session`, or pass the `session_id` if another process or window started it")
	}
	return session, nil
}

// Chain says whether the hash chain of a session is valid.
type Chain struct {
	SessionID         string          `json:"session_id"`
	IsValid           bool            `json:"is_valid"`
	EventCount        int64           `json:"event_count"`
	FirstInvalidIndex *int64          `json:"first_invalid_index,omitempty" jsonschema:"first invalid position"`
	GenesisHash       string          `json:"genesis_hash" jsonschema:"hash of the first event; empty without events"`
	CurrentHash       string          `json:"current_hash" jsonschema:"hash of the last event"`
	Problems          []trace.Problem `json:"problems,omitempty"`
}

// Chain recomputes the hashes of the caller's session. It returns the errors of Trace.
func (s *Store) Chain(ctx context.Context, c Caller) (Chain, error) {
	session, err := s.readableSession(ctx, c)
	if err != nil {
		return Chain{}, err
	}
	verified, err := s.trace.Verify(ctx, trace.VerifyRequest{Sessions: []string{session.UID}})
	if err != nil {
		return Chain{}, err
	}
	first, err := s.trace.Session(ctx, trace.SessionQuery{SessionID: session.UID, Limit: 1})
	if err != nil {
		return Chain{}, err
	}
	out := Chain{SessionID: session.ID, IsValid: verified.Intact, EventCount: first.Session.Events,
		CurrentHash: verified.Head, Problems: verified.Problems}
	if len(first.Events) > 0 {
		out.GenesisHash = first.Events[0].Hash
	}
	for _, p := range verified.Problems {
		if out.FirstInvalidIndex == nil || p.Seq < *out.FirstInvalidIndex {
			out.FirstInvalidIndex = &p.Seq
		}
	}
	return out, nil
}
