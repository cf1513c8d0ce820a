package trace

import "context"

// SessionRecord is a session with its events, which can be verified without the graph.
type SessionRecord struct {
	SessionRow
	Chain []ownEvent `json:"chain"`
}

// Record returns a session with all events that it counts. It returns not_found.
func (l *Log) Record(ctx context.Context, id string) (SessionRecord, error) {
	r := SessionRecord{Chain: []ownEvent{}}
	s, err := l.read(ctx, id, func(own ownEvent) {
		own.Begins, own.SessionID = nil, "" // the session says both
		r.Chain = append(r.Chain, own)
	})
	r.SessionRow = s.SessionRow
	return r, err
}

// Verify recomputes the chain of the session.
func (r SessionRecord) Verify() []Problem {
	w := newWalk(session{SessionRow: r.SessionRow, Imported: r.Events == 0}, "")
	for _, e := range r.Chain {
		if e.Session != r.UID {
			w.found(e.Seq, "foreign_event", "The event belongs to the session %s", e.Session)
		}
		w.follow(e, true)
	}
	w.finish()
	if w.next > r.Events {
		w.found(w.next-1, "foreign_event", "An event is after the end of the session, which counts %d", r.Events)
	}
	return w.problems
}
