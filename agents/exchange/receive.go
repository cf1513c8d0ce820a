package exchange

import (
	"context"
	"slices"
	"strings"
	"time"

	"nomograph/agents/peers"
	"nomograph/cypher"
	"nomograph/decisions/calibration"
	"nomograph/graph"
	"nomograph/internal/apperr"
	"nomograph/internal/caller"
	"nomograph/internal/redact"
	"nomograph/internal/render"
	"nomograph/internal/uid"
)

// SharedDecisions is a message with another server's shared decisions.
type SharedDecisions struct {
	Decisions []SharedDecision `json:"decisions" rule:"minItems=1,maxItems=500"`
	By        string           `json:"-"`
}

// SharedDecision is the part of a decision that its owner shares.
type SharedDecision struct {
	ID         string   `json:"id" jsonschema:"id at the sender" rule:"minLength=1,maxLength=200"`
	Title      string   `json:"title,omitempty" rule:"maxLength=400"`
	Category   string   `json:"category,omitempty" rule:"maxLength=100"`
	Stakes     string   `json:"stakes,omitempty" rule:"maxLength=20"`
	Confidence *float64 `json:"confidence,omitempty"`
	Outcome    string   `json:"outcome,omitempty" rule:"maxLength=20"`
	Date       string   `json:"date,omitempty" rule:"maxLength=40"`
	Distance   *float64 `json:"distance,omitempty"`
	At         string   `json:"at" jsonschema:"time of the last change by the sender's clock; older states never replace newer ones" rule:"minLength=1,maxLength=40"`
	Withdrawn  bool     `json:"withdrawn,omitempty" jsonschema:"no longer shared; the stored copy is deleted"`
}

// ReceiveResult says which decisions were stored.
type ReceiveResult struct {
	Received int   `json:"received" jsonschema:"number of decisions received; all are stored"`
	New      int64 `json:"new" jsonschema:"number of decisions that were new"`
}

// AgentOf returns the agent name under which calibration counts a peer's outcomes.
func AgentOf(peer string) string { return "peer:" + peer }

// Receive stores the decisions of a followed peer. Repeating a message changes nothing, and an older state never
// replaces a newer one, by the sender's clock. It returns permission_denied for a sender that is not followed, and a
// validation_error for an invalid time.
func (s *Store) Receive(ctx context.Context, d SharedDecisions) (ReceiveResult, error) {
	p, err := s.peerByName(ctx, d.By)
	if err != nil {
		return ReceiveResult{}, err
	}
	if !p.Following {
		return ReceiveResult{}, apperr.Newf(apperr.PermissionDenied,
			"This server does not follow '%s', so it refuses its decisions", p.Name).
			WithHint("Follow it with `follow_agent`")
	}
	rows := make([]any, 0, len(d.Decisions))
	for _, one := range d.Decisions {
		at, err := time.Parse(time.RFC3339Nano, one.At)
		if err != nil {
			return ReceiveResult{}, apperr.Newf(apperr.Validation, "`at` of '%s' is not a time",
				render.Cut(render.OneLine(one.ID), 100)).WithHint("Use the form 2026-01-20T14:00:00Z")
		}
		row := one.row()
		row["at"] = graph.UTC(at)
		if one.Withdrawn {
			row["withdrawn"], row["title"], row["category"], row["stakes"], row["confidence"], row["outcome"],
				row["date"] = true, nil, nil, nil, nil, nil, nil
		}
		rows = append(rows, row)
	}
	changed, err := s.storeDecisions(ctx, cypher.PeerDecisionsStore, p, rows)
	return ReceiveResult{len(rows), changed}, err
}

// row returns the stored properties of a decision: secrets masked, shortened, on one line, without empty ones.
func (d SharedDecision) row() map[string]any {
	text := func(s string, maxLength int) any {
		return graph.NullIfEmpty(render.Cut(render.OneLine(redact.Mask(s)), maxLength))
	}
	row := map[string]any{"uid": uid.New(), "id": text(d.ID, 200), "withdrawn": nil,
		"title": text(d.Title, render.MaxTitleLength), "category": text(d.Category, 100),
		"stakes": text(d.Stakes, 20), "confidence": nil, "outcome": nil, "date": text(d.Date, 40)}
	if d.Confidence != nil && *d.Confidence >= 0 && *d.Confidence <= 1 {
		row["confidence"] = *d.Confidence
	}
	if slices.Contains(calibration.Outcomes, d.Outcome) {
		row["outcome"] = d.Outcome
	}
	return row
}

// storeDecisions stores a peer's decisions with a statement and returns how many of them were new.
func (s *Store) storeDecisions(ctx context.Context, statement cypher.Statement, p peers.Peer, rows []any) (int64,
	error) {
	slices.SortFunc(rows, func(a, b any) int { // the same order for all concurrent writers, against deadlocks
		return strings.Compare(graph.Text(a.(map[string]any), "id"), graph.Text(b.(map[string]any), "id"))
	})
	name := AgentOf(p.Name)
	stored, err := graph.Append[struct{ New int64 }](ctx, s.graph, statement, graph.Params{"peer": p.URL, "rows": rows,
		"agent": map[string]any{"key": caller.Key(name), "name": name, "uid": uid.New(), "schema_version": 1}})
	if err != nil {
		return 0, err
	}
	s.counters.Wake()
	return stored.New, nil
}
