package decisions

import (
	"encoding/json"
	"time"

	"nomograph/graph"
)

// Review is the outcome of a decision as seen by one person or agent. A later review supersedes it; all are preserved.
type Review struct {
	Number       int64            `json:"number"`
	InForce      bool             `json:"in_force"`
	Outcome      string           `json:"outcome"`
	ActualResult string           `json:"actual_result,omitempty"`
	Lessons      string           `json:"lessons,omitempty"`
	Notes        string           `json:"notes,omitempty"`
	AffectedKPIs graph.Parameters `json:"affected_kpis,omitempty" mapstructure:"-"`
	At           time.Time        `json:"at"`
	By           string           `json:"by"`
	// ByAuthenticated is nil for reviews stored before this field existed.
	ByAuthenticated *bool  `json:"by_authenticated,omitempty" mapstructure:"by_proven" jsonschema:"true if the reviewer was authenticated; absent if unknown"`
	Source          string `json:"source,omitempty" jsonschema:"person, agent, git or import; absent if unknown"`
	// Drawn is the probability with which the decision was drawn for review, 0 if it was not drawn.
	Drawn float64 `json:"drawn,omitempty" jsonschema:"probability with which the decision was drawn at random for review; absent if it was not drawn"`
}

// Sources of reviews. The command line has none, because a person and a program look the same there.
const (
	FromPerson = "person" // review on a page
	FromAgent  = "agent"  // review over MCP, REST or CSTP
	FromGit    = "git"    // accepted from git history
	FromImport = "import"
)

// ReviewOf decodes the properties of a Review node. Nested values are stored as JSON.
func ReviewOf(p map[string]any) Review {
	var r Review
	_ = graph.Decode(p, &r) // a property of a foreign type leaves its field empty
	r.At = r.At.UTC()
	_ = json.Unmarshal([]byte(graph.Text(p, "affected_kpis")), &r.AffectedKPIs) // no KPIs if absent or invalid
	return r
}

// Properties returns the stored properties of a review, without the time.
func (r Review) Properties(uid string) (map[string]any, error) {
	p := map[string]any{"uid": uid, "schema_version": 1, "number": r.Number, "in_force": true, "outcome": r.Outcome,
		"by": r.By}
	for name, text := range map[string]string{"actual_result": r.ActualResult, "lessons": r.Lessons, "notes": r.Notes,
		"source": r.Source} {
		if text != "" {
			p[name] = text
		}
	}
	if r.Drawn > 0 {
		p["drawn"] = r.Drawn
	}
	if r.ByAuthenticated != nil {
		p["by_proven"] = *r.ByAuthenticated
	}
	if len(r.AffectedKPIs) > 0 {
		text, err := json.Marshal(r.AffectedKPIs)
		if err != nil {
			return nil, err
		}
		p["affected_kpis"] = string(text)
	}
	return p, nil
}

// Revision is one step of a decision's history. Revision 0 is the recording.
type Revision struct {
	Revision int64             `json:"revision" mapstructure:"number"`
	At       time.Time         `json:"at"`
	By       string            `json:"by"`
	Why      string            `json:"reason,omitempty"`
	Changes  map[string]Change `json:"changes,omitempty" jsonschema:"values by property; an absent property is null"`
}

// Change is the old and the new value of a property.
type Change struct {
	From any `json:"from"`
	To   any `json:"to"`
}

// historyOf returns the revisions, newest first, including the recording.
func historyOf(decision map[string]any, revisions []map[string]any) []Revision {
	history := make([]Revision, 0, len(revisions)+1)
	for _, p := range revisions {
		var r Revision
		graph.Fill(p, &r)
		_ = json.Unmarshal([]byte(graph.Text(p, "changes")), &r.Changes) // no changes if invalid
		history = append(history, r)
	}
	recorded := Revision{At: graph.Time(decision, "recorded_at"), By: graph.Text(decision, "agent")}
	if source := graph.Text(decision, "source"); source != "" {
		recorded.By, recorded.Why = "import", "imported from "+source
	}
	return append(history, recorded)
}
