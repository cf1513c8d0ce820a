package cases

import (
	"cmp"
	"encoding/json"
	"strings"
	"time"

	"nomograph/graph"
	"nomograph/internal/apperr"
	"nomograph/internal/document"
	"nomograph/policies"
	"nomograph/policies/gate"
	"nomograph/policies/pack"
)

// Case is one test of a pack: an action and how it must be judged, or a table's inputs and which rows must hit.
type Case struct {
	Name string `json:"name"`
	// Action is what is checked, with the fields of a check.
	Action *gate.ActionCheck `json:"action,omitempty"`
	// Table and Inputs are what is evaluated.
	Table  string           `json:"table,omitempty"`
	Inputs graph.Parameters `json:"inputs,omitempty"`
	// Consensus is what others agreed to: has(action.consensus) is false without it.
	Consensus *Consensus `json:"consensus,omitempty"`
	// Graph is what patterns look at. Without it they are not judged.
	Graph *Fixture `json:"graph,omitempty"`
	// Thresholds are values that stand in for the pack's own.
	Thresholds map[string]policies.Value `json:"thresholds,omitempty"`
	// Now is the clock of the case.
	Now    time.Time   `json:"now,omitzero"`
	Expect Expectation `json:"expect"`

	node *document.Node // where it stands in the file
}

// Expectation is what a case must give. Of an action: whether it is allowed, and all rules that object. Of a table: the
// rows that hit and the outputs, or that it fails.
type Expectation struct {
	Allowed    *bool            `json:"allowed,omitempty"`
	Violations []string         `json:"violations,omitempty"`
	Warnings   []string         `json:"warnings,omitempty"`
	Shadow     []string         `json:"shadow,omitempty"`
	Rows       []string         `json:"rows,omitempty"`
	Outputs    graph.Parameters `json:"outputs,omitempty"`
	Fails      bool             `json:"fails,omitempty"`
}

// Read gives the cases of a pack.
func Read(p pack.Pack) ([]Case, error) {
	cases := make([]Case, len(p.Cases))
	for i, raw := range p.Cases {
		var text strings.Builder
		policies.WriteCanonical(&text, raw.Fields) // in which 1.0 keeps its point
		cases[i].node = raw.Node
		if err := json.Unmarshal([]byte(text.String()), &cases[i]); err != nil {
			return nil, apperr.From(err)
		}
	}
	return cases, nil
}

// Consensus is one that others gave to the action of a case.
type Consensus struct {
	ID         string    `json:"id,omitempty"`
	Agreed     []string  `json:"agreed"`
	Objected   []string  `json:"objected,omitempty"`
	Quorum     int64     `json:"quorum,omitempty"`
	At         time.Time `json:"at,omitzero"`
	ValidUntil time.Time `json:"valid_until,omitzero"`
}

// defaultConsensus is how long one holds where nobody says: as long as one that is sought live.
const defaultConsensus = time.Hour

// seen is what rules see of it, at the clock of the case; nil where there is none, or where it no longer holds.
func (c *Consensus) seen(now time.Time) map[string]any {
	if c == nil {
		return nil
	}
	at, until := c.At.UTC(), c.ValidUntil.UTC()
	if c.At.IsZero() {
		at = now
	}
	if c.ValidUntil.IsZero() {
		until = at.Add(defaultConsensus)
	}
	if !now.Before(until) {
		return nil
	}
	quorum := c.Quorum
	if quorum == 0 {
		quorum = int64(len(c.Agreed))
	}
	return map[string]any{"id": cmp.Or(c.ID, "case"), "quorum": quorum, "agreed": graph.List(c.Agreed), "objected": graph.List(c.Objected), "at": at, "valid_until": until}
}
