package trace

import (
	"context"
	"slices"
	"time"

	"nomograph/cypher"
	"nomograph/graph"
)

// Deliberation is what a session recorded since its last decision. Without a session, SessionUID is empty.
type Deliberation struct {
	SessionID, SessionUID string
	Events                []Recorded // in order
}

const maxPending = 500 // events

// Pending gives what a session recorded and no decision has yet, at most the last 500 events, with everything that was given
// to this log before. It writes nothing. It returns a conflict where the session is another agent's.
func (l *Log) Pending(ctx context.Context, who SessionSelector) (Deliberation, error) {
	owner, err := who.owner(ctx)
	if err != nil {
		return Deliberation{}, err
	}
	if err := l.flush(ctx); err != nil {
		return Deliberation{}, err
	}
	rows, err := graph.All[struct{ SessionUID, SessionID, Agent, UID, Seq, At, Type, Payload any }](ctx, l.db, cypher.EventsPending, graph.Params{"id": nullIfEmpty(owner.session), "key": owner.key, "workspace": owner.workspace, "connection": owner.connection,
		"idle": l.Idle.Milliseconds(), "limit": maxPending})
	if err != nil || len(rows) == 0 {
		return Deliberation{SessionID: owner.session}, err
	}
	d := Deliberation{SessionID: as[string](rows[0].SessionID, "", nil), SessionUID: as[string](rows[0].SessionUID, "", nil)}
	if err := owner.owns(d.SessionID, as[string](rows[0].Agent, "", nil)); err != nil {
		return Deliberation{}, err
	}
	for _, row := range slices.Backward(rows) {
		if uid := as[string](row.UID, "", nil); uid != "" { // a session without such events is one empty row
			d.Events = append(d.Events, Recorded{UID: uid, Seq: as[int64](row.Seq, "", nil), At: as[time.Time](row.At, "", nil).UTC(),
				Type: as[string](row.Type, "", nil), Payload: payloadOf(as[string](row.Payload, "", nil))})
		}
	}
	return d, nil
}
