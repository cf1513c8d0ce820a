package decisions

import (
	"cmp"
	"context"
	"time"

	"nomograph/cypher"
	"nomograph/graph"
	"nomograph/graph/limits"
	"nomograph/policies/gate"
)

// written is the result of a write: id and time, and the numbers of attached events and links.
type written struct {
	ID                string
	At                time.Time
	Attached, Related int64
}

// write writes the decision and draws another id if one is in use. It returns *limits.Error if a limit is exceeded.
func (s *Store) write(ctx context.Context, d *Draft, judgment *gate.Evaluation) (written, error) {
	verdict, err := judgment.Row()
	if err != nil {
		return written{}, err
	}
	act := limits.Act{Uses: judgment.Uses()}
	const draws = 5
	for draw := 1; ; draw++ {
		d.ID = s.NewID()
		w, err := s.writeWithin(ctx, act, s.parameters(d, verdict, judgment.At))
		if err == nil || !graph.IsUniqueViolation(err) || d.RequestKey != "" || draw == draws {
			return w, err
		}
	}
}

// writeWithin writes a decision if its limits allow it, else it returns *limits.Error.
func (s *Store) writeWithin(ctx context.Context, act limits.Act, p graph.Params) (w written, err error) {
	if act.Free() {
		return graph.Append[written](ctx, s.graph, cypher.DecisionRecord, p)
	}
	ctx, cancel := context.WithTimeout(ctx, heldTime)
	defer cancel()
	var refused error
	err = s.graph.Write(ctx, func(tx *graph.Tx) error {
		held, err := limits.Hold(ctx, tx, []limits.Act{act})
		if err != nil {
			return err
		}
		if refused, err = held.Admit(ctx, act); refused != nil || err != nil {
			return err
		}
		w, err = graph.One[written](ctx, tx, cypher.DecisionRecord, p)
		return err
	})
	return w, cmp.Or(err, refused)
}

// heldTime is the maximum wait for others who hold the same limit.
const heldTime = 10 * time.Second

func (s *Store) parameters(d *Draft, verdict map[string]any, now time.Time) graph.Params {
	events := make([]any, len(d.known.events))
	for i, e := range d.known.events {
		events[i] = e.UID
	}
	_, named := d.related()
	return graph.Params{"decision": d.Properties(now), "review_days": d.reviewDays, "reasons": s.ReasonNodes(d.Reasons),
		"agent": s.Named(d.Agent)[0], "projects": s.Named(d.Project), "tags": s.Named(d.Tags...), "patterns": s.Named(d.Pattern),
		"session": d.known.session, "events": events, "consumed": d.known.consumed, "related": named, "verdict": verdict}
}
