package trace

import (
	"cmp"
	"context"
	"encoding/json"
	"strings"
	"time"
)

// Export formats of a session.
const (
	FormatLines = "jsonl" // Nomograph's own chain, one event per line
	FormatTRACE = "trace" // TRACE/1.0 of the Context Registry for Agents, with Nomograph's own chain included
)

// ExportRequest selects a session to export as text, which can be verified without the graph.
type ExportRequest struct {
	SessionID string `json:"session_id" jsonschema:"id or uid, or the beginning of one" rule:"minLength=1,maxLength=200"`
	Format    string `json:"format,omitempty" jsonschema:"format; trace is TRACE/1.0 with both chains" rule:"enum=jsonl|trace,default=\"jsonl\""`
}

// ownEvent is an event as Nomograph's own chain covers it.
type ownEvent struct {
	SessionID string          `json:"session_id,omitempty"`
	Session   string          `json:"session"` // session uid
	Seq       int64           `json:"seq" column:"seq"`
	Type      string          `json:"type" column:"type"`
	At        time.Time       `json:"at" column:"at"`
	Agent     string          `json:"agent" column:"agent"`
	UID       string          `json:"uid" column:"uid"`
	Schema    int64           `json:"schema,omitempty" column:"schema"` // 2: the hash covers the uid
	Payload   json.RawMessage `json:"payload,omitempty"`                // the stored text, byte for byte
	// the payload was deleted, as a later event declares
	Forgotten bool   `json:"forgotten,omitempty"`
	PrevHash  string `json:"prev_hash" column:"prev_hash"`
	Hash      string `json:"hash" column:"hash"`
	// Begins, in the first event, holds the fields of the session's start hash.
	Begins *beginning `json:"begins,omitempty"`
}

type beginning struct {
	ID        string    `json:"id"`
	Agent     string    `json:"agent"`
	Workspace string    `json:"workspace"`
	StartedAt time.Time `json:"started_at"`
}

// Export returns all events of a session, one per line. It returns not_found.
func (l *Log) Export(ctx context.Context, r ExportRequest) (Exported, error) {
	var b strings.Builder
	hash := genesis
	var failed error
	s, err := l.read(ctx, r.SessionID, func(own ownEvent) {
		switch {
		case failed != nil:
		case r.Format == FormatTRACE:
			hash, failed = own.asTRACE(&b, hash)
		default:
			failed = writeLine(&b, own)
		}
	})
	return Exported{s.SessionRow, cmp.Or(r.Format, FormatLines), b.String()}, cmp.Or(err, failed)
}

// read visits all events of a session that it counts, in order. It returns not_found.
func (l *Log) read(ctx context.Context, id string, visit func(ownEvent)) (s session, err error) {
	if err := l.flush(ctx); err != nil {
		return s, err
	}
	row, err := l.sessionOf(ctx, id)
	if err != nil {
		return s, err
	}
	s, _ = sessionIn(row)
	return s, l.eachEvent(ctx, s, 0, func(e map[string]any) { visit(s.exported(e)) })
}

// exported returns an event that can be verified without the graph.
func (s session) exported(row map[string]any) ownEvent {
	own, _ := s.event(row)
	if own.At = own.At.UTC(); own.Forgotten {
		own.Payload = nil
	} else if !json.Valid(own.Payload) { // edited in the graph; verification reports it
		own.Payload, _ = json.Marshal(string(own.Payload))
	}
	if own.Seq == 0 {
		own.Begins = &beginning{s.SessionID, s.AgentID, s.Workspace, s.StartedAt}
	}
	return own
}

// writeLine writes a value as one line of JSON. Payloads remain byte for byte as they were hashed.
func writeLine(b *strings.Builder, value any) error {
	encoder := json.NewEncoder(b)
	encoder.SetEscapeHTML(false)
	return encoder.Encode(value)
}

// Exported is an exported session.
type Exported struct {
	Session SessionRow `json:"session"`
	Format  string     `json:"format"`
	Text    string     `json:"text" jsonschema:"one event per line" recorded:"exact"`
}
