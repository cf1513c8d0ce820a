package evidence

import (
	"cmp"
	"context"
	"slices"

	"nomograph/cypher"
	"nomograph/decisions"
	"nomograph/graph"
	"nomograph/internal/apperr"
	"nomograph/internal/lists"
	"nomograph/internal/timeparse"
	"nomograph/trace"
)

// Observation holds events of other systems, stored all or none.
type Observation struct {
	Events []Observing `json:"events" jsonschema:"events in order" rule:"minItems=1,maxItems=500"`
	Source string      `json:"source,omitempty" jsonschema:"default source" rule:"maxLength=200,default=\"external\""`
	By     string      `json:"-"`
}

// Observing is one event of another system.
type Observing struct {
	EventType string           `json:"event_type" jsonschema:"such as pr_merged" rule:"minLength=1,maxLength=100"`
	At        string           `json:"ts,omitempty" jsonschema:"time of the event, as RFC 3339" rule:"maxLength=40"`
	Source    string           `json:"source,omitempty" rule:"maxLength=200"`
	Payload   graph.Parameters `json:"payload,omitempty" jsonschema:"data for control rules"`
}

// Ingested returns the positions of the stored events.
type Ingested struct {
	Ingested int    `json:"ingested"`
	HeadHash string `json:"head_hash" jsonschema:"head hash of the chain; store it externally and pass it as expected_head_hash later"`
	FirstSeq int64  `json:"first_seq"`
}

// Observe appends events to the chain. It returns a validation_error for an invalid time.
func (s *Store) Observe(ctx context.Context, o Observation) (Ingested, error) {
	events := make([]trace.Event, len(o.Events))
	for i, e := range o.Events {
		if e.At != "" {
			if _, err := timeparse.Parse("ts", e.At); err != nil {
				return Ingested{}, err
			}
		}
		events[i] = trace.Event{Type: observed, Payload: map[string]any{"event_type": e.EventType, "ts": e.At,
			"source": cmp.Or(e.Source, o.Source, "external"), "by": trace.Actor("", o.By),
			"payload": map[string]any(e.Payload)}}
	}
	receipt, err := s.trace.Append(ctx, chain, events...)
	if err != nil {
		return Ingested{}, err
	}
	return Ingested{Ingested: len(events), HeadHash: receipt.Head, FirstSeq: receipt.Events[0].Seq}, nil
}

// LinkRequest links a decision to observed events.
type LinkRequest struct {
	DecisionID string  `json:"decision_id" jsonschema:"decision id or its first 4 characters" rule:"minLength=1,maxLength=200"`
	EventSeqs  []int64 `json:"event_seqs" jsonschema:"sequence numbers of observed events" rule:"minItems=1,maxItems=500"`
	By         string  `json:"-"`
}

// Linked is the stored link.
type Linked struct {
	Linked      int    `json:"linked"`
	DecisionID  string `json:"decision_id"`
	AttestedSeq int64  `json:"attested_seq" jsonschema:"sequence number of the attesting event"`
}

// Link appends an event that attests which decision observed events belong to, with its stakes and whether its outcome
// is known. It returns not_found for an unknown decision or event.
func (s *Store) Link(ctx context.Context, r LinkRequest) (Linked, error) {
	ref, err := s.decisions.Resolve(ctx, r.DecisionID)
	if err != nil {
		return Linked{}, err
	}
	row, err := graph.One[struct{ Decision map[string]any }](ctx, s.graph, cypher.DecisionsByUID,
		graph.Params{"uids": []string{ref.UID}})
	if err != nil {
		return Linked{}, err
	}
	summary := decisions.SummaryOf(row.Decision)
	there, err := s.events(ctx)
	if err != nil {
		return Linked{}, err
	}
	seqs := slices.Compact(slices.Sorted(slices.Values(r.EventSeqs)))
	for _, seq := range seqs {
		if !slices.ContainsFunc(there, func(e event) bool { return e.Seq == seq && e.Class == Observed }) {
			return Linked{}, apperr.Newf(apperr.NotFound, "Observed event %d not found", seq).
				WithHint("`ingest_evidence` returns the positions of events")
		}
	}
	list := lists.Map(seqs, func(seq int64) any { return seq })
	receipt, err := s.trace.Append(ctx, chain, trace.Event{Type: attested,
		Payload: map[string]any{"event_type": linked, "source": "nomograph", "by": trace.Actor("", r.By),
			"payload": map[string]any{"decision_id": ref.ID, "event_seqs": list, "stakes": summary.Stakes,
				"has_outcome": summary.Outcome != ""}}})
	if err != nil {
		return Linked{}, err
	}
	return Linked{Linked: len(seqs), DecisionID: ref.ID, AttestedSeq: receipt.Events[0].Seq}, nil
}
