package evidence

import (
	"context"

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

// event is one piece of evidence with the data for rules.
type event struct {
	Evidence
	Payload map[string]any
}

// maxEvents is the maximum number of mapped events.
const maxEvents = 50_000

// events reads the chain, oldest first.
func (s *Store) events(ctx context.Context) ([]event, error) {
	var out []event
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
			out = append(out, event{Evidence{e.Seq, graph.Text(e.Payload, "event_type"), class,
				graph.Text(e.Payload, "ts")}, payload})
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
