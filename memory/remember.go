package memory

import (
	"cmp"
	"context"

	"nomograph/cypher"
	"nomograph/graph"
	"nomograph/memory/turns"
)

const (
	sessionBatch  = 20
	eventBatch    = 500
	decisionBatch = 200
)

// markedSession is a session with events that are not in memory yet.
type markedSession struct {
	UID, Agent, Workspace, Project, Title string
	Remembered                            int64 // seq of the event from which the last chunks are rebuilt
	Closed                                int64 // position of the first of these chunks
	// version of the session's memory, increased by each change of its chunks
	Version int64
	Count   any // number of events
}

// processNext processes the next marked sessions and decisions.
func (s *Store) processNext(ctx context.Context) (more bool, err error) {
	ctx = graph.InBackground(ctx)
	decisions, err := s.rememberDecisions(ctx) // decisions go first, since one transaction writes all of a batch
	if err != nil {
		return false, err
	}
	sessions, err := graph.All[markedSession](ctx, s.graph, cypher.SessionsWithoutChunks,
		graph.Params{"limit": sessionBatch})
	if err != nil {
		return false, err
	}
	progress := false // without progress, another attempt would not help
	for _, m := range sessions {
		done, unread, err := s.rememberSession(ctx, m)
		if err != nil {
			return false, err
		}
		progress, more = progress || done, more || done && unread
	}
	if progress || decisions > 0 {
		s.search.Wake()
	}
	// A session that got events meanwhile stays marked. Its writer wakes the worker, which would never rest otherwise.
	return more || progress && len(sessions) == sessionBatch || decisions == decisionBatch, nil
}

// event is a recorded event. Its fields can have any type, because other programs can write them.
type event struct {
	Seq, Type, At, Payload any
}

// rememberSession builds chunks from the next events of a session. It reports whether it wrote chunks or removed the
// mark, and whether the session may have had more events than one batch.
func (s *Store) rememberSession(ctx context.Context, m markedSession) (held, more bool, err error) {
	events, err := graph.All[event](ctx, s.graph, cypher.EventsForChunks,
		graph.Params{"session": m.UID, "from": m.Remembered, "limit": eventBatch})
	if err != nil {
		return false, false, err
	}
	read := m.Remembered
	cutter := turns.Cutter{Tokens: s.count.Tokens}
	var pieces []turns.Piece
	for _, t := range turnsOf(events) {
		pieces = append(pieces, cutter.Add(t)...)
	}
	pieces = append(pieces, cutter.End()...)
	if len(events) > 0 {
		last, _ := events[len(events)-1].Seq.(int64)
		read = last + 1
	}
	growth := SessionChunks{Session: m.UID, Project: cmp.Or(m.Project, lastOf(m.Workspace)), Agent: m.Agent,
		Visibility: Private, From: m.Closed, Ends: true}
	for _, p := range pieces {
		growth.Chunks = append(growth.Chunks, OfPiece(Events, m.Title, p))
	}
	growth.Set = map[string]any{}
	if at := lastCompletePiece(pieces); at >= 0 {
		growth.Set["remembered"], growth.Set["closed"] = pieces[at].First, m.Closed+int64(at)
	}
	if more = len(events) == eventBatch; more { // the next batch continues with new pieces
		growth.Set["remembered"], growth.Set["closed"] = read, m.Closed+int64(len(pieces))
	}
	err = s.graph.Write(ctx, func(tx *graph.Tx) error {
		held = false
		now, err := graph.All[struct{ UID string }](ctx, tx, cypher.SessionClaim,
			graph.Params{"uid": m.UID, "version": m.Version, "count": m.Count, "all": !more})
		if held = err == nil && len(now) > 0; !held ||
			len(pieces) == 0 { // another process was faster, or there is no text
			return err
		}
		_, err = s.ReplaceChunks(ctx, tx, []SessionChunks{growth})
		return err
	})
	return held, more, err
}

// lastCompletePiece returns the index of the last piece that begins with a turn, or -1. That piece and later ones can
// still change.
func lastCompletePiece(pieces []turns.Piece) int {
	for i := len(pieces) - 1; i >= 0; i-- {
		if pieces[i].Part == 0 {
			return i
		}
	}
	return -1
}
