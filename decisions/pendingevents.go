package decisions

import (
	"context"
	"slices"
	"time"

	"nomograph/graph"
)

// PendingQuery asks what a session has recorded that the next decision will be told to come from.
type PendingQuery struct {
	AgentID string `json:"agent_id,omitempty" jsonschema:"whose session, if not the caller's" rule:"maxLength=200"`
	Session
}

// PendingInputs are what the next decision of a session will be told to come from.
type PendingInputs struct {
	SessionID  string         `json:"session_id" jsonschema:"empty where there is no session yet"`
	InputCount int            `json:"input_count"`
	Inputs     []PendingInput `json:"inputs" jsonschema:"in order, the last 100"`
}

// PendingInput is one of them.
type PendingInput struct {
	ID   string    `json:"id" jsonschema:"of the event"`
	Type string    `json:"type" jsonschema:"query, check, lookup, stats, thought, input or step"`
	Text string    `json:"text"`
	At   time.Time `json:"at"`
}

// PendingInputs shows what would become the deliberation of the next decision. It writes nothing, and returns a conflict where the session is
// another agent's.
func (s *Store) PendingInputs(ctx context.Context, q PendingQuery) (PendingInputs, error) {
	read, err := s.trace.Pending(ctx, s.who(Caller{q.AgentID, q.Session}))
	if err != nil {
		return PendingInputs{}, err
	}
	out := PendingInputs{SessionID: read.SessionID, Inputs: []PendingInput{}}
	for _, e := range read.Events {
		if !slices.Contains(deliberating, e.Type) {
			continue
		}
		text := ""
		for _, name := range said {
			if text = graph.Text(e.Payload, name); text != "" {
				break
			}
		}
		out.Inputs = append(out.Inputs, PendingInput{ID: e.UID, Type: e.Type, Text: text, At: e.At})
	}
	out.Inputs = out.Inputs[max(0, len(out.Inputs)-mostDeliberation):]
	out.InputCount = len(out.Inputs)
	return out, nil
}
