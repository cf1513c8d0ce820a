package evidence

import (
	"context"
	"time"

	"nomograph/decisions"
	"nomograph/graph"
	"nomograph/internal/apperr"
	"nomograph/trace"
)

// Store stores and reads the evidence of one graph.
type Store struct {
	graph     *graph.DB
	decisions *decisions.Store
	trace     *trace.Log
}

// NewStore returns the store of a graph.
func NewStore(db *graph.DB, d *decisions.Store, log *trace.Log) *Store { return &Store{db, d, log} }

// session is the id of the session that holds all evidence, and its agent.
const session = "evidence"

var chain = trace.SessionSelector{Agent: "nomograph-evidence", SessionID: session}

// Classes of evidence, and the types of their events.
const (
	Observed = "observed"
	Attested = "attested"

	observed = "evidence.observed"
	attested = "evidence.attested"

	linked = "cstp_decision_linked" // event_type of attested evidence
)

// Event is one piece of evidence.
type Event struct {
	Seq       int64          `json:"seq" jsonschema:"position in the chain"`
	EventType string         `json:"event_type"`
	Class     string         `json:"evidence_class" jsonschema:"observed (by another system) or attested (here)"`
	Source    string         `json:"source"`
	At        string         `json:"ts" jsonschema:"time by the source"`
	By        string         `json:"by" jsonschema:"agent that ingested it"`
	Recorded  time.Time      `json:"recorded_at"`
	Payload   map[string]any `json:"payload"`
}

// maxEvents is the maximum number of mapped and exported events.
const maxEvents = 50_000

// events reads the chain, oldest first.
func (s *Store) events(ctx context.Context) ([]Event, error) {
	var out []Event
	const page = 500
	for cursor := ""; ; {
		read, err := s.trace.Session(ctx, trace.SessionQuery{SessionID: session, Limit: page, Cursor: cursor})
		if apperr.Is(err, apperr.NotFound) {
			return nil, nil
		}
		if err != nil {
			return nil, err
		}
		for _, e := range read.Events {
			class := map[string]string{observed: Observed, attested: Attested}[e.Type]
			if class == "" {
				continue
			}
			payload, _ := e.Payload["payload"].(map[string]any)
			out = append(out, Event{Seq: e.Seq, EventType: graph.Text(e.Payload, "event_type"), Class: class,
				Source: graph.Text(e.Payload, "source"), At: graph.Text(e.Payload, "ts"),
				By: graph.Text(e.Payload, "by"), Recorded: e.At, Payload: payload})
		}
		if len(out) > maxEvents {
			return nil, apperr.Newf(apperr.Validation, "The database holds more than %d pieces of evidence", maxEvents).
				WithHint("Use one database per period")
		}
		if cursor = read.NextCursor; cursor == "" {
			return out, nil
		}
	}
}
