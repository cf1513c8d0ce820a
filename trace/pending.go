package trace

import (
	"context"
	"slices"
	"time"

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
	rows, err := graph.All[struct{ SessionUID, SessionID, Agent, UID, Seq, At, Type, Payload any }](ctx, l.db,
		cypher.EventsPending, graph.Params{"id": nullIfEmpty(owner.session), "key": owner.key,
			"workspace": owner.workspace, "connection": owner.connection,
			"idle": l.Idle.Milliseconds(), "limit": maxPending})
	if err != nil || len(rows) == 0 {
		return Deliberation{SessionID: owner.session}, err
	}
	d := Deliberation{SessionID: valueAs[string](rows[0].SessionID, "", nil),
		SessionUID: valueAs[string](rows[0].SessionUID, "", nil)}
	if err := owner.owns(d.SessionID, valueAs[string](rows[0].Agent, "", nil)); err != nil {
		return Deliberation{}, err
	}
	for _, row := range slices.Backward(rows) {
		if uid := valueAs[string](row.UID, "", nil); uid != "" { // a session without such events returns one row without a uid
			d.Events = append(d.Events, Recorded{UID: uid, Seq: valueAs[int64](row.Seq, "", nil),
				At:   valueAs[time.Time](row.At, "", nil).UTC(),
				Type: valueAs[string](row.Type, "", nil), Payload: payloadOf(valueAs[string](row.Payload, "", nil))})
		}
	}
	return d, nil
}
