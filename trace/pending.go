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

const mostPending = 500 // events

// Pending gives what a session recorded and no decision has yet, at most the last 500 events, with everything that was given
// to this log before. It writes nothing. It returns a conflict where the session is another agent's.
func (l *Log) Pending(ctx context.Context, who Who) (Deliberation, error) {
	owner, err := who.owner()
	if err != nil {
		return Deliberation{}, err
	}
	if err := l.flush(ctx); err != nil {
		return Deliberation{}, err
	}
	rows, err := graph.All[struct {
		SessionUID, SessionID, Agent string
		UID                          string
		Seq                          int64
		At                           time.Time
		Type, Payload                string
	}](ctx, l.db, cypher.EventsPending, graph.Params{"id": nullIfEmpty(owner.session), "key": owner.key, "workspace": owner.workspace,
		"idle": l.Idle.Milliseconds(), "limit": mostPending})
	if err != nil || len(rows) == 0 {
		return Deliberation{SessionID: owner.session}, err
	}
	if err := owner.owns(rows[0].SessionID, rows[0].Agent); err != nil {
		return Deliberation{}, err
	}
	d := Deliberation{SessionID: rows[0].SessionID, SessionUID: rows[0].SessionUID}
	for _, row := range slices.Backward(rows) {
		if row.UID != "" { // a session without such events is one empty row
			d.Events = append(d.Events, Recorded{UID: row.UID, Seq: row.Seq, At: row.At.UTC(), Type: row.Type, Payload: payloadOf(row.Payload)})
		}
	}
	return d, nil
}
