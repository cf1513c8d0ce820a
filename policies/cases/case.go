package cases

import (
	"cmp"
	"encoding/json"
	"time"

	"nomograph/graph"
	"nomograph/internal/apperr"
	"nomograph/internal/document"
	"nomograph/policies"
	"nomograph/policies/check"
	"nomograph/policies/pack"
)

// Case is a test case of a pack: an action with the expected verdict, or a table's inputs with the expected rows.
type Case struct {
	Name string `json:"name"`
	// Action is the action to check, with the fields of a check.
	Action *check.ActionCheck `json:"action,omitempty"`
	// Phase is check, or record for a decision that is being recorded.
	Phase string `json:"phase,omitempty"`
	// Table is the table to evaluate with Inputs.
	Table  string           `json:"table,omitempty"`
	Inputs graph.Parameters `json:"inputs,omitempty"`
	// Consensus is the consensus of other agents; without it has(action.consensus) is false.
	Consensus *Consensus `json:"consensus,omitempty"`
	// Graph is the graph that patterns query. Without a graph, patterns are not evaluated.
	Graph *Fixture `json:"graph,omitempty"`
	// Thresholds override the pack's values.
	Thresholds map[string]policies.Value `json:"thresholds,omitempty"`
	// Now is the time at which the case is evaluated.
	Now    time.Time   `json:"now,omitzero"`
	Expect Expectation `json:"expect"`

	node *document.Node // position in the file
}

// Expectation is the expected result. For an action: whether it is allowed, and all violated rules. For a table: the
// rows that match and the outputs, or that it fails.
type Expectation struct {
	Allowed    *bool            `json:"allowed,omitempty"`
	Violations []string         `json:"violations,omitempty"`
	Warnings   []string         `json:"warnings,omitempty"`
	Shadow     []string         `json:"shadow,omitempty"`
	Rows       []string         `json:"rows,omitempty"`
	Outputs    graph.Parameters `json:"outputs,omitempty"`
	Fails      bool             `json:"fails,omitempty"`
}

// Read returns the cases of a pack.
func Read(p pack.Pack) ([]Case, error) {
	cases := make([]Case, len(p.Cases))
	for i, raw := range p.Cases {
		cases[i].node = raw.Node
		text := policies.CanonicalText(raw.Fields) // writes 1.0 with its decimal point
		if err := json.Unmarshal([]byte(text), &cases[i]); err != nil {
			return nil, apperr.From(err)
		}
	}
	return cases, nil
}

// Consensus is the consensus on the action of a case.
type Consensus struct {
	ID         string    `json:"id,omitempty"`
	Agreed     []string  `json:"agreed"`
	Objected   []string  `json:"objected,omitempty"`
	Quorum     int64     `json:"quorum,omitempty"`
	At         time.Time `json:"at,omitzero"`
	ValidUntil time.Time `json:"valid_until,omitzero"`
}

// defaultConsensus is the default validity, the same as for a consensus outside of tests.
const defaultConsensus = time.Hour

// factsAt returns the consensus as rules see it at the time now; nil if it is absent or expired.
func (c *Consensus) factsAt(now time.Time) map[string]any {
	if c == nil {
		return nil
	}
	at := cmp.Or(c.At.UTC(), now)
	until := cmp.Or(c.ValidUntil.UTC(), at.Add(defaultConsensus))
	if !now.Before(until) {
		return nil
	}
	return map[string]any{"id": cmp.Or(c.ID, "case"), "quorum": cmp.Or(c.Quorum, int64(len(c.Agreed))),
		"agreed": graph.List(c.Agreed), "objected": graph.List(c.Objected), "at": at, "valid_until": until}
}
