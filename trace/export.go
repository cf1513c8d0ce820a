package trace

import (
	"cmp"
	"context"
	"encoding/json"
	"strings"
	"time"

	"nomograph/cypher"
	"nomograph/graph"
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
	SessionID string          `json:"session_id"`
	Session   string          `json:"session"` // session uid
	Seq       int64           `json:"seq"`
	Type      string          `json:"type"`
	At        time.Time       `json:"at"`
	Agent     string          `json:"agent"`
	UID       string          `json:"uid"`
	Payload   json.RawMessage `json:"payload,omitempty"`   // the stored text, byte for byte
	Forgotten bool            `json:"forgotten,omitempty"` // the payload was deleted, as a later event declares
	PrevHash  string          `json:"prev_hash"`
	Hash      string          `json:"hash"`
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
func (l *Log) Export(ctx context.Context, r ExportRequest) (lines string, row SessionRow, err error) {
	if err := l.flush(ctx); err != nil {
		return "", row, err
	}
	node, err := l.sessionOf(ctx, r.SessionID)
	if err != nil {
		return "", row, err
	}
	s, _ := node.session()
	var b strings.Builder
	hash := genesis
	for from, more := int64(0), true; more; {
		rows, err := graph.All[struct{ UID, Seq, Type, At, Agent, Payload, PrevHash, Hash any }](ctx, l.db,
			cypher.EventsCovered,
			graph.Params{"session": s.UID, "from": from, "limit": eventsBatch})
		if err != nil {
			return "", row, err
		}
		for _, e := range rows {
			own := ownEvent{SessionID: s.ID, Session: s.UID, Seq: valueAs[int64](e.Seq, "", nil),
				Type: valueAs[string](e.Type, "", nil), At: valueAs[time.Time](e.At, "", nil).UTC(),
				Agent: valueAs[string](e.Agent, "", nil),
				UID:   valueAs[string](e.UID, "", nil), PrevHash: valueAs[string](e.PrevHash, "", nil),
				Hash: valueAs[string](e.Hash, "", nil), Payload: json.RawMessage(valueAs[string](e.Payload, "", nil))}
			if own.Forgotten = e.Payload == nil; own.Forgotten {
				own.Payload = nil
			} else if !json.Valid(own.Payload) { // edited in the graph; verification reports it
				own.Payload, _ = json.Marshal(string(own.Payload))
			}
			if own.Seq == 0 {
				own.Begins = &beginning{s.ID, s.Agent, s.Workspace, s.StartedAt.UTC()}
			}
			from = own.Seq + 1
			if r.Format == FormatTRACE {
				hash, err = own.asTRACE(&b, hash)
			} else {
				err = writeLine(&b, own)
			}
			if err != nil {
				return "", row, err
			}
		}
		more = len(rows) == eventsBatch
	}
	return b.String(), s.row(), nil
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

// ExportSession is Export with the result type of the operation.
func (l *Log) ExportSession(ctx context.Context, r ExportRequest) (Exported, error) {
	text, row, err := l.Export(ctx, r)
	return Exported{row, cmp.Or(r.Format, FormatLines), text}, err
}
