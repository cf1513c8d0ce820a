package decisions

import (
	"context"
	"time"

	"nomograph/cypher"
	"nomograph/graph"
	"nomograph/policies/gate"
)

// written says what became of a decision: its id and time, and how much was attached and linked.
type written struct {
	ID                string
	At                time.Time
	Attached, Related int64
}

// write puts the decision into the graph, drawing another id where one is taken.
func (s *Store) write(ctx context.Context, d *Draft, judgement gate.Judgement) (written, error) {
	verdict, err := judgement.Row()
	if err != nil {
		return written{}, err
	}
	const draws = 5
	for draw := 1; ; draw++ {
		d.ID = s.NewID()
		w, err := graph.Append[written](ctx, s.graph, cypher.DecisionRecord, s.parameters(d, verdict, judgement.At))
		if err == nil || !graph.Taken(err) || d.RequestKey != "" || draw == draws {
			return w, err
		}
	}
}

func (s *Store) parameters(d *Draft, verdict map[string]any, now time.Time) graph.Params {
	events := make([]any, len(d.known.events))
	for i, e := range d.known.events {
		events[i] = e.UID
	}
	return graph.Params{"decision": d.Properties(now), "review_days": d.reviewDays, "reasons": s.ReasonNodes(d.Reasons),
		"agent": s.Named(d.Agent)[0], "projects": s.Named(d.Project), "tags": s.Named(d.Tags...), "patterns": s.Named(d.Pattern),
		"session": d.known.session, "events": events, "consumed": d.known.consumed, "related": d.known.related(d.told), "verdict": verdict}
}
