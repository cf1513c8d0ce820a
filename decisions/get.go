package decisions

import (
	"context"
	"encoding/json"
	"strings"
	"time"

	"nomograph/cypher"
	"nomograph/graph"
	"nomograph/internal/render"
)

// GetQuery selects one decision.
type GetQuery struct {
	ID      string `json:"id" jsonschema:"decision id or its first 4 characters" rule:"minLength=1,maxLength=200"`
	History *bool  `json:"history,omitempty" jsonschema:"include revisions" rule:"default=true"`
	AgentID string `json:"agent_id,omitempty" jsonschema:"asking agent (default the caller)" rule:"maxLength=200" claim:"agent"`
	Session
}

// Details is a decision: its stored properties, and, if any, reasons []Reason, reviews []Review (newest first), history
// []Revision (newest first), links []Link, deliberation StoredDeliberation, sessions (ids of the sessions of its
// deliberation) and verdicts []RecordingVerdict. Links and growing lists are limited to 200.
type Details struct {
	Found    bool           `json:"found"`
	Decision map[string]any `json:"decision" jsonschema:"its properties as stored, its uri, its title (the first line), and: reasons, reviews (newest first), history, links, deliberation, sessions, verdicts"`

	Around Related `json:"-"`
}

// Related holds the nodes around a decision.
type Related struct {
	Reasons      []Reason
	Reviews      []Review
	History      []Revision
	Links        []Link
	Deliberation *StoredDeliberation
	Verdicts     []RecordingVerdict
}

// UnmarshalJSON decodes an answer with the nodes around the decision.
func (d *Details) UnmarshalJSON(raw []byte) error {
	type parts Details
	if err := json.Unmarshal(raw, (*parts)(d)); err != nil {
		return err
	}
	var details struct{ Decision Related }
	err := json.Unmarshal(raw, &details)
	d.Around = details.Decision
	return err
}

// Link is a linked decision. Direction is outgoing or incoming.
type Link struct {
	ID        string  `json:"id"`
	Title     string  `json:"title"`
	Type      string  `json:"type"`
	Direction string  `json:"direction"`
	Weight    float64 `json:"weight"`
	Context   string  `json:"context,omitempty"`
	// State of the linked decision.
	Outcome    string `json:"outcome,omitempty"`
	Superseded bool   `json:"superseded,omitempty"`
	Retracted  bool   `json:"retracted,omitempty"`
}

// RecordingVerdict is a verdict on recording the decision.
type RecordingVerdict struct {
	ID      string    `json:"id" mapstructure:"uid"`
	Allowed bool      `json:"allowed"`
	Forced  string    `json:"forced,omitempty"`
	At      time.Time `json:"at"`
}

const maxRelatedNodes = 200 // maximum number of related nodes of each kind

// Get returns a decision by its id, an unambiguous prefix, its uid or its external id, and records a lookup in the
// session. It returns not_found with similar ids, and a conflict for an ambiguous id.
func (s *Store) Get(ctx context.Context, q GetQuery) (Details, error) {
	ref := strings.TrimSpace(strings.TrimPrefix(q.ID, URI("")))
	found, err := s.readDetails(ctx, ref, q.History == nil || *q.History)
	if err != nil {
		return Details{}, err
	}
	if len(found) != 1 { // a prefix, several, or none
		resolved, err := s.Resolve(ctx, ref)
		if err != nil {
			return Details{}, err
		}
		if found, err = s.readDetails(ctx, resolved.UID, q.History == nil || *q.History); err != nil {
			return Details{}, err
		}
		if len(found) != 1 { // deleted between the two reads
			return Details{}, s.NotFound(ctx, ref)
		}
	}
	details := found[0].details()
	s.Note(ctx, Caller{q.AgentID, q.Session}, "lookup",
		map[string]any{"id": details.Decision["id"], "uid": details.Decision["uid"],
			"decision": render.Title(graph.Text(details.Decision, "decision"))})
	return details, nil
}

// detailsRow is the row of a decision.
type detailsRow struct {
	Decision           map[string]any
	Reasons            []Reason
	Reviews, Revisions []map[string]any
	Links              []struct {
		Link     `mapstructure:",squash"`
		Outgoing bool
	}
	Events   []attachedEvent
	Verdicts []RecordingVerdict
	Sessions []string
}

func (s *Store) readDetails(ctx context.Context, ref string, history bool) ([]detailsRow, error) {
	return graph.All[detailsRow](ctx, s.graph, cypher.DecisionDetails,
		graph.Params{"ref": ref, "id": strings.ToLower(ref), "history": history, "most": maxRelatedNodes})
}

func (r detailsRow) details() Details {
	w := Related{Reasons: r.Reasons, Deliberation: deliberationOf(r.Events,
		graph.Text(r.Decision, "imported_deliberation"))}
	for _, p := range r.Reviews {
		w.Reviews = append(w.Reviews, ReviewOf(p))
	}
	if r.Revisions != nil {
		w.History = historyOf(r.Decision, r.Revisions)
	}
	for _, l := range r.Links {
		l.Title, l.Direction = render.Title(l.Title), "incoming"
		if l.Outgoing {
			l.Direction = "outgoing"
		}
		w.Links = append(w.Links, l.Link)
	}
	for _, v := range r.Verdicts {
		v.At = v.At.UTC()
		w.Verdicts = append(w.Verdicts, v)
	}
	p := publicProperties(r.Decision)
	delete(p, "imported_deliberation")
	p["uri"], p["title"] = URI(graph.Text(p, "id")), render.Title(graph.Text(p, "decision")) // as in lists
	p["reasons"], p["reviews"], p["links"], p["verdicts"] = EmptyIfNil(w.Reasons), EmptyIfNil(w.Reviews),
		EmptyIfNil(w.Links), EmptyIfNil(w.Verdicts)
	if len(r.Sessions) > 0 {
		p["sessions"] = r.Sessions
	}
	if w.History != nil {
		p["history"] = w.History
	}
	if w.Deliberation != nil {
		p["deliberation"] = w.Deliberation
	}
	return Details{Found: true, Decision: p, Around: w}
}

// EmptyIfNil returns an empty list for nil.
func EmptyIfNil[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}
