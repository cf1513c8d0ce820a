package trace

import (
	"context"
	"slices"

	"nomograph/cypher"
	"nomograph/graph"
)

// Deliberation holds the events of a session since its last decision. SessionUID is empty if there is no session.
type Deliberation struct {
	SessionID, SessionUID string
	Events                []Recorded // in order
}

const maxPending = 500 // maximum number of events

// Pending returns the events of a session since its last decision, at most the last 500, including all earlier events
// of this log. It does not write. It returns a conflict if the session belongs to another agent.
func (l *Log) Pending(ctx context.Context, who SessionSelector) (Deliberation, error) {
	owner, err := who.owner(ctx)
	if err != nil {
		return Deliberation{}, err
	}
	if err := l.flush(ctx); err != nil {
		return Deliberation{}, err
	}
	rows, err := graph.All[map[string]any](ctx, l.db,
		cypher.EventsPending, graph.Params{"id": graph.NullIfEmpty(owner.session), "key": owner.key,
			"workspace": owner.workspace, "connection": owner.connection,
			"idle": l.Idle.Milliseconds(), "limit": maxPending})
	if err != nil || len(rows) == 0 {
		return Deliberation{SessionID: owner.session}, err
	}
	d := Deliberation{SessionID: graph.Text(rows[0], "session_id"), SessionUID: graph.Text(rows[0], "session_uid")}
	if err := owner.owns(d.SessionID, graph.Text(rows[0], "agent")); err != nil {
		return Deliberation{}, err
	}
	for _, row := range slices.Backward(rows) {
		if e := eventIn(row); e.UID != "" { // a session without such events returns one row without a uid
			d.Events = append(d.Events, Recorded{UID: e.UID, Seq: e.Seq, At: e.At, Type: e.Type, Payload: e.Payload})
		}
	}
	return d, nil
}
