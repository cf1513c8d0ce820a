package briefing

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"nomograph/decisions"
	"nomograph/decisions/counters"
	"nomograph/decisions/insights"
	"nomograph/internal/render"
	"nomograph/policies/circuit"
)

// categoryRow is a row of the table of categories, and a member of the JSON object.
type categoryRow struct {
	category string
	counters.CategoryCalibration
}

// MarshalJSON encodes the member.
func (c categoryRow) MarshalJSON() ([]byte, error) {
	return json.Marshal(map[string]counters.CategoryCalibration{c.category: c.CategoryCalibration})
}

func (c categoryRow) markdown() string {
	own := "-"
	if c.Own != nil {
		own = fmt.Sprintf("%d (%d)", c.Own.Decisions, c.Own.Reviewed)
		if c.Own.Accuracy != nil {
			own += ": " + ratioText(c.Own.Accuracy)
		}
	}
	return fmt.Sprintf("| %s | %d (%d) | %s | %s | %s | %s | %s |", escape(c.category), c.Decisions, c.Reviewed,
		ratioText(c.Accuracy), ratioText(c.BrierScore),
		ratioText(c.MeanConfidence), render.OrDash(strings.ReplaceAll(c.Interpretation, "_", " ")), own)
}

func ratioText(ratio *float64) string {
	if ratio == nil {
		return "-"
	}
	return fmt.Sprintf("%.2f", *ratio)
}

// profileLines is an agent's profile as lines, and unchanged in JSON.
type profileLines struct{ counters.AgentProfile }

// short returns the name and the amount of data only.
func (p profileLines) short() profileLines {
	const enough = 12
	return profileLines{counters.AgentProfile{Agent: flatten(p.Agent, enough), TotalDecisions: p.TotalDecisions,
		Reviewed: p.Reviewed}}
}

func (p profileLines) markdown() string {
	var b strings.Builder
	fmt.Fprintf(&b, "- Agent %s: %s, %d reviewed", escape(p.Agent), render.Plural(p.TotalDecisions, "decision"),
		p.Reviewed)
	if !p.ActiveSince.IsZero() {
		fmt.Fprintf(&b, ", since %s", p.ActiveSince.Format(time.DateOnly))
	}
	if p.OverallAccuracy != nil {
		fmt.Fprintf(&b, "\n- Accuracy %s, Brier score %s, mean confidence %s: %s", ratioText(p.OverallAccuracy),
			ratioText(p.BrierScore), ratioText(p.MeanConfidence),
			strings.ReplaceAll(p.Tendency, "_", " "))
	}
	render.WriteNonEmpty(&b, "\n- No accuracy or Brier score: %s", p.Why)
	render.WriteNonEmpty(&b, "\n- Strongest category %s", p.StrongestCategory)
	render.WriteNonEmpty(&b, ", weakest %s", p.WeakestCategory)
	return b.String()
}

// withoutConditions returns a guardrail without its conditions.
func (g Guardrail) withoutConditions() Guardrail {
	return Guardrail{ID: g.ID, Action: g.Action, Description: g.Description, Scope: g.Scope, Message: g.Message,
		Broken: g.Broken}
}

func (g Guardrail) markdown() string {
	var b strings.Builder
	fmt.Fprintf(&b, "- **%s** %s", g.Action, escape(g.ID))
	render.WriteNonEmpty(&b, ": %s", escape(cmp.Or(g.Message, g.Description)))
	render.WriteNonEmpty(&b, " (only in %s)", escape(strings.Join(g.Scope, ", ")))
	render.WriteNonEmpty(&b, "\n  - cannot be evaluated, so it denies every action: %s", escape(g.Broken))
	render.WriteNonEmpty(&b, "\n  - applies when: %s", code(g.AppliesWhen))
	render.WriteNonEmpty(&b, "\n  - requires: %s", code(g.Requires))
	render.WriteNonEmpty(&b, "\n  - must not be found in the graph: %s", code(g.Pattern))
	return b.String()
}

func (b Breaker) markdown() string {
	text := fmt.Sprintf("- **%s** %s (%s)", strings.ReplaceAll(b.State, "_", "-"), escape(b.Scope), b.Action)
	if b.Failures > 0 {
		text += ": after " + render.Plural(b.Failures, "failure")
	} else if b.State == circuit.HalfOpen {
		text += ": since it was reset"
	}
	switch {
	case b.Error != "":
		text += "; its state is unknown: " + escape(b.Error)
	case !b.Until.IsZero():
		text += "; a probe is allowed at " + b.Until.UTC().Format("2006-01-02 15:04 UTC")
	case b.ProbeID != "":
		text += "; the review of " + escape(b.ProbeID) + " decides"
	case b.State == circuit.HalfOpen:
		text += "; the next decision is the probe"
	}
	return text
}

func (a Action) markdown() string {
	var b strings.Builder
	fmt.Fprintf(&b, "- **%s** %s", a.Priority, strings.ReplaceAll(a.Reason, "_", " "))
	render.WriteNonEmpty(&b, " %s", a.ID)
	if a.ID == "" {
		render.WriteNonEmpty(&b, " %s", escape(a.Category))
	}
	render.WriteNonEmpty(&b, " %s", escape(a.Title))
	render.WriteNonEmpty(&b, ": %s", escape(a.Detail))
	return b.String()
}

func (p Pattern) markdown() string {
	var b strings.Builder
	fmt.Fprintf(&b, "- %s: %s, %d reviewed, mean outcome %.2f", escape(p.Pattern), render.Plural(p.Count, "decision"),
		p.Reviewed, p.MeanOutcome)
	render.WriteNonEmpty(&b, " (%s)", escape(strings.Join(slices.Concat(p.Categories, p.ExampleIDs), ", ")))
	return b.String()
}

// conflicts describe the kinds of contradictions.
var conflicts = map[string]string{insights.Contradicts: "they contradict each other, and neither is superseded",
	insights.RepeatsFailure:   "the first repeats the second, which failed",
	insights.SupersedesUnsaid: "similar, but neither supersedes the other"}

func (c Contradiction) markdown() string {
	var b strings.Builder
	for i, id := range c.IDs {
		b.WriteString([]string{"- ", " and "}[min(i, 1)] + escape(id))
		if i < len(c.Titles) {
			render.WriteNonEmpty(&b, " %s", escape(c.Titles[i]))
		}
	}
	return b.String() + ": " + cmp.Or(conflicts[c.Kind], escape(c.Why))
}

func (w Wisdom) markdown() string {
	var b strings.Builder
	fmt.Fprintf(&b, "- %s: %s", escape(w.Category), render.Plural(w.Decisions, "decision"))
	if w.SuccessRate != nil {
		fmt.Fprintf(&b, ", success rate %.2f", *w.SuccessRate)
	}
	for _, principle := range w.Principles {
		fmt.Fprintf(&b, "\n  - confirmed: %s", escape(principle))
	}
	render.WriteNonEmpty(&b, "\n  - frequent failure: %s", escape(w.FailsBy))
	return b.String()
}

func (m Memory) markdown() string {
	var b strings.Builder
	fmt.Fprintf(&b, "- %s", m.At.Format(time.DateOnly))
	render.WriteNonEmpty(&b, " (session %s)", escape(m.SessionID))
	fmt.Fprintf(&b, ": %s", escape(m.Text))
	for _, now := range m.Now {
		fmt.Fprintf(&b, "\n  - now: %s", escape(now))
	}
	return b.String()
}

// short returns a decision without its lessons.
func (d Decision) short() Decision {
	d.Reasons, d.ActualResult, d.Lessons, d.Pattern = nil, "", "", ""
	return d
}

func (d Decision) markdown() string {
	var b strings.Builder
	facts := []string{d.Date.Format(time.DateOnly), escape(d.Project), escape(d.Category)}
	if d.Stakes != "" {
		facts = append(facts, d.Stakes+" stakes")
	}
	if d.Confidence != nil {
		facts = append(facts, "confidence "+decisions.ConfidenceText(d.Confidence))
	}
	facts = append(facts, d.Outcome)
	if d.Outcome == "" {
		facts = append(facts, d.Status)
	}
	if len(d.SupersededBy) > 0 {
		facts = append(facts, "superseded by "+escape(strings.Join(d.SupersededBy, ", ")))
	}
	facts = slices.DeleteFunc(facts, func(fact string) bool { return fact == "" })
	fmt.Fprintf(&b, "- %s (%s): %s", escape(d.ID), strings.Join(facts, ", "), escape(d.Title))
	for _, reason := range d.Reasons {
		fmt.Fprintf(&b, "\n  - because of %s", escape(reason))
	}
	render.WriteNonEmpty(&b, "\n  - pattern: %s", escape(d.Pattern))
	render.WriteNonEmpty(&b, "\n  - result: %s", escape(d.ActualResult))
	render.WriteNonEmpty(&b, "\n  - lesson: %s", escape(d.Lessons))
	return b.String()
}
