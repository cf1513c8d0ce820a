package memory

import (
	"context"

	"nomograph/cypher"
	"nomograph/graph"
	"nomograph/memory/turns"
)

const (
	sessionsAtOnce  = 20
	eventsAtOnce    = 500
	decisionsAtOnce = 200
)

// marked is a session with something new.
type marked struct {
	UID, Agent, Workspace, Project, Title string
	Remembered                            int64 // the event from which its last pieces are made again
	Closed                                int64 // and their position
	Version                               int64 // of its memory, which each growth makes another
	Count                                 any   // of its events
}

// some makes chunks of the next sessions and decisions that are marked.
func (s *Store) some(ctx context.Context) (more bool, err error) {
	ctx = graph.InBackground(ctx)
	decisions, err := s.rememberDecisions(ctx) // first: one transaction makes them found
	if err != nil {
		return false, err
	}
	sessions, err := graph.All[marked](ctx, s.graph, cypher.SessionsUnremembered, graph.Params{"limit": sessionsAtOnce})
	if err != nil {
		return false, err
	}
	progress := false // where nothing can be done, asking again does not help
	for _, m := range sessions {
		done, err := s.rememberSession(ctx, m)
		if err != nil {
			return false, err
		}
		progress = progress || done
	}
	if progress || decisions > 0 {
		s.search.Wake()
	}
	return progress && len(sessions) > 0 || decisions == decisionsAtOnce, nil
}

// event is what a session recorded, of whatever type somebody made it.
type event struct {
	Seq, Type, At, Payload any
}

// rememberSession makes chunks of the next events of a session. It tells whether something was written, or the mark taken away.
func (s *Store) rememberSession(ctx context.Context, m marked) (bool, error) {
	events, err := graph.All[event](ctx, s.graph, cypher.EventsRemember, graph.Params{"session": m.UID, "from": m.Remembered, "limit": eventsAtOnce})
	if err != nil {
		return false, err
	}
	project := m.Project
	if project == "" {
		project = lastOf(m.Workspace)
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
	growth := Growth{Session: m.UID, Project: project, Agent: m.Agent, Visibility: Private, From: m.Closed, Ends: true}
	for _, p := range pieces {
		growth.Chunks = append(growth.Chunks, Chunk{Kind: Events, At: p.At, EndsAt: p.EndsAt, Tokens: int64(p.Tokens), Text: p.Text, First: p.First, Last: p.Last, Title: m.Title, Decisions: p.Links})
	}
	growth.Set = map[string]any{}
	if at := lastWhole(pieces); at >= 0 {
		growth.Set["remembered"], growth.Set["closed"] = pieces[at].First, m.Closed+int64(at)
	}
	if len(events) == eventsAtOnce { // what is behind is read next, as pieces of its own
		growth.Set["remembered"], growth.Set["closed"] = read, m.Closed+int64(len(pieces))
	}
	held := false
	err = s.graph.Write(ctx, func(tx *graph.Tx) error {
		held = false
		now, err := graph.All[struct{ UID string }](ctx, tx, cypher.SessionHold, graph.Params{"uid": m.UID, "version": m.Version, "count": m.Count, "all": len(events) < eventsAtOnce})
		if held = err == nil && len(now) > 0; !held || len(pieces) == 0 { // another process was quicker, or nothing was said
			return err
		}
		_, err = s.Grow(ctx, tx, []Growth{growth})
		return err
	})
	return held, err
}

// lastWhole is the place of the last piece that begins with a turn: from there on, pieces may still become others. It is -1 for none.
func lastWhole(pieces []turns.Piece) int {
	for i := len(pieces) - 1; i >= 0; i-- {
		if pieces[i].Part == 0 {
			return i
		}
	}
	return -1
}
