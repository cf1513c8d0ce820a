package counters

import (
	"cmp"
	"encoding/json"
	"math"
	"slices"
	"time"

	"nomograph/decisions/calibration"
	"nomograph/graph"
	"nomograph/policies/check"
)

// contribution is the counted part of a decision: scopes, days and figures. As JSON it is the decision's counted_as, by
// which it can be subtracted again.
type contribution struct {
	Category   string `json:"category,omitempty"`
	Stakes     string `json:"stakes,omitempty"`
	Project    string `json:"project,omitempty"`
	Agent      string `json:"agent,omitempty"`
	Pattern    string `json:"pattern,omitempty"`
	RecordedOn string `json:"recorded_on,omitempty"` // UTC days, such as 2026-11-21; empty without a time
	ReviewedOn string `json:"reviewed_on,omitempty"`
	Theirs     bool   `json:"theirs,omitempty"` // from another server: counts only under its agent
	calibration.Sample
}

// countedRow is a decision as read for counting. Other programs may have written it, so types are uncertain.
type countedRow struct {
	Node      string // exactly one of Node and UID is set
	UID       string
	Counts    bool // the node is still a local decision
	Uncounted bool
	Theirs    bool   // shared by another server
	Today     string // by the database's clock, in UTC
	CountedAs any
	Decision  map[string]any
	Reasons   []any // maps
	Reviews   []any // maps; only the current review
}

func (r countedRow) contribution() contribution {
	d := r.Decision
	c := contribution{Category: graph.Text(d, "category"), Stakes: graph.Text(d, "stakes"),
		Project: graph.Text(d, "project"), Agent: graph.Text(d, "agent"),
		Pattern: graph.Text(d, "pattern"), RecordedOn: dayOf(d["created_at"]), Theirs: r.Theirs}
	c.Confidence = numberUpToOne(d["confidence"])
	for _, item := range r.Reasons {
		reason, _ := item.(map[string]any)
		strength := check.DefaultStrength
		if given := numberUpToOne(reason["strength"]); given != nil {
			strength = *given
		}
		c.Reasons = append(c.Reasons, calibration.Reason{Type: graph.Text(reason, "type"), Strength: strength})
	}
	// The order of reasons is irrelevant; sorting makes equal decisions equal.
	slices.SortFunc(c.Reasons, func(a, b calibration.Reason) int {
		return cmp.Or(cmp.Compare(a.Type, b.Type), cmp.Compare(a.Strength, b.Strength))
	})
	for _, item := range r.Reviews {
		review, _ := item.(map[string]any)
		if outcome := graph.Text(review, "outcome"); slices.Contains(calibration.Outcomes, outcome) {
			c.Outcome, c.ReviewedConfidence, c.ReviewedOn = outcome, numberUpToOne(review["confidence"]),
				dayOf(review["at"])
		}
	}
	return c
}

func (c contribution) scope() scope {
	return scope{"category": c.Category, "stakes": c.Stakes, "project": c.Project, "agent": c.Agent,
		"pattern": c.Pattern}
}

func (c contribution) String() string {
	raw, err := json.Marshal(c)
	if err != nil { // cannot happen: strings and finite numbers
		panic(err)
	}
	return string(raw)
}

// countedAs decodes what String wrote; false for anything else, which counts as nothing.
func countedAs(value any) (contribution, bool) {
	var c contribution
	text, _ := value.(string)
	if text == "" || json.Unmarshal([]byte(text), &c) != nil {
		return contribution{}, false
	}
	return c, true
}

// numberUpToOne reads a number from 0 to 1, nil for anything else.
func numberUpToOne(value any) *float64 {
	var x float64
	switch v := value.(type) {
	case float64:
		x = v
	case int64:
		x = float64(v)
	default:
		return nil
	}
	if math.IsNaN(x) || x < 0 || x > 1 {
		return nil
	}
	return &x
}

// dayOf returns the UTC day of a time; empty for any other value.
func dayOf(value any) string {
	at, ok := value.(time.Time)
	if !ok {
		return ""
	}
	return at.UTC().Format(time.DateOnly)
}
