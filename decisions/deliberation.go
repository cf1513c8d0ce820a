package decisions

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"time"

	"nomograph/graph"
	"nomograph/internal/caller"
	"nomograph/trace"
)

// Deliberation describes how a decision was made, as stated by the caller.
type Deliberation struct {
	Inputs          []DeliberationInput `json:"inputs,omitempty" rule:"maxItems=100"`
	Steps           []DeliberationStep  `json:"steps,omitempty" rule:"maxItems=100"`
	TotalDurationMS int64               `json:"total_duration_ms,omitempty" rule:"minimum=0"`
}

// DeliberationInput is an input that was known.
type DeliberationInput struct {
	ID     string `json:"id,omitempty" jsonschema:"a decision" rule:"maxLength=200"`
	Text   string `json:"text" rule:"minLength=1,maxLength=10000"`
	Source string `json:"source,omitempty" rule:"maxLength=200"`
}

// DeliberationStep is one step of the reasoning.
type DeliberationStep struct {
	Step       int64    `json:"step,omitempty"`
	Thought    string   `json:"thought" rule:"minLength=1,maxLength=10000"`
	InputsUsed []string `json:"inputs_used,omitempty" rule:"maxItems=100"`
	Type       string   `json:"type,omitempty" rule:"maxLength=50"`
	Conclusion bool     `json:"conclusion,omitempty"`
}

// deliberationTypes are the event types that lead to a decision; writes do not.
var deliberationTypes = []string{"query", "check", "lookup", "stats", "thought", "input", "step", "context.given",
	"action.reported"}

// pendingEvents holds the events of a session since its last decision.
type pendingEvents struct {
	session  string // uid; empty without a session
	id       string // of the session
	consumed int64  // new value of the session's consumed: the seq after the last event
	events   []trace.Recorded
}

// maxDeliberation is the maximum number of attached events. Earlier events are left out.
const maxDeliberation = 100

func (s *Store) pending(ctx context.Context, c Caller) (pendingEvents, error) {
	read, err := s.trace.Pending(ctx, s.sessionSelector(c))
	if err != nil {
		return pendingEvents{}, err
	}
	d := pendingEvents{session: read.SessionUID, id: read.SessionID}
	for _, e := range read.Events {
		d.consumed = e.Seq + 1
		if slices.Contains(deliberationTypes, e.Type) {
			d.events = append(d.events, e)
		}
	}
	d.events = d.events[max(0, len(d.events)-maxDeliberation):]
	return d, nil
}

const (
	maxRelated        = 5
	minSimilarity     = 0.3 // cosine; less similar texts are unrelated
	weakestLinkWeight = 0.01
)

// relatedDecisions returns the decisions that searches found for this one: the number of similar ones, and those that
// its text mentions, as {uid, weight}, which are linked. Similar decisions are not linked: even among the most similar
// texts of real records at most half of the pairs are linked. The weight is the cosine similarity. The order by
// uid prevents deadlocks.
func (d *Draft) relatedDecisions() (alike int, named []any) {
	best, naming, names := map[string]float64{}, d.ownTexts(), map[string]bool{}
	for _, result := range d.searchResults() {
		uid := graph.Text(result, "uid")
		if uid == "" {
			continue
		}
		similarity, ok := result["similarity"].(float64)
		if naming.Names(graph.Text(result, "id"), graph.Text(result, "external_id")) {
			names[uid] = true
		}
		if names[uid] || ok && similarity >= minSimilarity {
			best[uid] = max(best[uid], similarity, weakestLinkWeight)
		}
	}
	named = []any{}
	for _, uid := range slices.Sorted(maps.Keys(names)) {
		named = append(named, map[string]any{"uid": uid, "weight": min(1, best[uid])})
	}
	return min(len(best), maxRelated), named[:min(len(named), maxRelated)]
}

// events returns the caller's deliberation as events.
func (d *Deliberation) events() []trace.Event {
	if d == nil || len(d.Inputs)+len(d.Steps) == 0 {
		return nil
	}
	var events []trace.Event
	for _, input := range d.Inputs {
		events = append(events, trace.Event{Type: "input",
			Payload: map[string]any{"id": input.ID, "text": input.Text, "source": input.Source}})
	}
	for i, step := range d.Steps {
		events = append(events, trace.Event{Type: "step",
			Payload: map[string]any{"step": cmp.Or(step.Step, int64(i+1)), "thought": step.Thought,
				"inputs_used": graph.List(step.InputsUsed),
				"type":        step.Type, "conclusion": step.Conclusion}})
	}
	if d.TotalDurationMS > 0 {
		events[len(events)-1].Payload["total_duration_ms"] = d.TotalDurationMS
	}
	return events
}

// recordDeliberation records the caller's deliberation in the session after the recorded events and attaches it to the
// decision. The deliberation of a refused or repeated decision does not count for the next decision. The deliberation
// is stored before the answer; searches that were made for the decision follow asynchronously.
func (s *Store) recordDeliberation(ctx context.Context, c Caller, d *Draft) error {
	if len(d.statedEvents) == 0 {
		return nil
	}
	for i := range d.statedEvents {
		d.statedEvents[i].Decision = d.UID
	}
	if len(d.stated.Deliberation.events()) == 0 {
		s.trace.AppendAsync(ctx, s.sessionSelector(c), d.statedEvents...)
		return nil
	}
	_, err := s.trace.Append(ctx, s.sessionSelector(c), d.statedEvents...)
	return err
}

// Note records an event in the session without waiting. Viewing a page records nothing.
func (s *Store) Note(ctx context.Context, c Caller, kind string, payload map[string]any) {
	if caller.From(ctx).ViewsPage {
		return
	}
	s.trace.AppendAsync(ctx, s.sessionSelector(c), trace.Event{Type: kind, Payload: payload})
}

// PendingQuery selects the session whose pending inputs are wanted.
type PendingQuery struct {
	AgentID string `json:"agent_id,omitempty" jsonschema:"agent of the session (default the caller)" rule:"maxLength=200" claim:"agent"`
	Session
}

// PendingInputs will become the deliberation of the session's next decision.
type PendingInputs struct {
	SessionID  string         `json:"session_id" jsonschema:"session id; empty without a session"`
	InputCount int            `json:"input_count"`
	Inputs     []PendingInput `json:"inputs" jsonschema:"inputs in order, the last 100"`
}

// PendingInput is one pending input.
type PendingInput struct {
	ID   string    `json:"id" jsonschema:"event id"`
	Type string    `json:"type" jsonschema:"query, check, lookup, stats, thought, input or step"`
	Text string    `json:"text"`
	At   time.Time `json:"at"`
}

// PendingInputs previews the deliberation of the next decision. It writes nothing, and returns a conflict for another
// agent's session.
func (s *Store) PendingInputs(ctx context.Context, q PendingQuery) (PendingInputs, error) {
	read, err := s.pending(ctx, Caller(q))
	out := PendingInputs{SessionID: read.id, InputCount: len(read.events)}
	for _, e := range read.events {
		out.Inputs = append(out.Inputs, PendingInput{ID: e.UID, Type: e.Type, Text: textOf(e.Payload), At: e.At})
	}
	return out, err
}
