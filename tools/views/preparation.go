package views

import (
	"cmp"
	"fmt"
	"strings"

	"nomograph/decisions"
	"nomograph/decisions/preparation"
	"nomograph/internal/render"
	"nomograph/internal/terminal"
)

// preparationPreActionResult formats the verdict, the recorded decision, and precedents.
func preparationPreActionResult(p preparation.PreActionResult, page terminal.Page) string {
	var b strings.Builder
	switch {
	case p.Allowed:
		b.WriteString(page.ColorWord("allowed") + "\n")
	case p.Recorded && p.Forced != "":
		b.WriteString(page.ColorWord("denied") + ", and recorded anyway\n")
	default:
		b.WriteString(page.ColorWord("denied") + "\n")
	}
	for _, o := range p.Guardrails {
		word := "blocks"
		if o.Severity != "block" {
			word = "warns"
		}
		fmt.Fprintf(&b, "  %s %s: %s\n", o.GuardrailID, page.ColorWord(word), o.Message)
		render.WriteNonEmpty(&b, "    to pass  %s\n", strings.Join(o.WouldPass, "; "))
		render.WriteNonEmpty(&b, "    instead  %s\n", strings.Join(o.Alternatives, "; "))
	}
	preparationRecord(p, &b)
	render.WriteNonEmpty(&b, "forced: %s\n", p.Forced)
	if p.Recorded && p.Quality != nil {
		for _, suggestion := range p.Quality.Suggestions {
			fmt.Fprintf(&b, "  better: %s\n", suggestion)
		}
	}
	preparationPrecedents(p, &b, page)
	for _, note := range p.Notes {
		if note != decisions.NothingRecorded { // not_recorded already says the same
			fmt.Fprintf(&b, "note: %s\n", note)
		}
	}
	return b.String()
}

func preparationRecord(p preparation.PreActionResult, b *strings.Builder) {
	if !p.Recorded || p.DecisionID == nil {
		render.WriteNonEmpty(b, "not recorded: %s\n", p.NotRecorded)
		return
	}
	if p.Repeated {
		fmt.Fprintf(b, "recorded before as %s\n", *p.DecisionID)
		return
	}
	fmt.Fprintf(b, "recorded as %s", *p.DecisionID)
	if p.Quality != nil {
		fmt.Fprintf(b, "; quality %.2f", p.Quality.Score)
	}
	if p.DeliberationInputs > 0 {
		fmt.Fprintf(b, "; %s of the session attached", render.Plural(p.DeliberationInputs, "event"))
	}
	render.WriteNonEmpty(b, "; linked to %d", p.GraphEdgesCreated)
	b.WriteByte('\n')
}

// preparationPrecedents writes precedents, patterns and calibration.
func preparationPrecedents(p preparation.PreActionResult, b *strings.Builder, page terminal.Page) {
	if len(p.RelevantDecisions) > 0 {
		b.WriteString("decided before\n")
	}
	for _, d := range p.RelevantDecisions {
		fmt.Fprintf(b, "  %s  %s  %s  %s\n", d.ID, page.Day(d.Date),
			page.ColorWord(cmp.Or(d.Outcome, d.Status, "-")), d.Title)
		render.WriteNonEmpty(b, "    result: %s\n", render.Title(d.ActualResult))
		render.WriteNonEmpty(b, "    lessons: %s\n", render.Title(d.Lessons))
	}
	for _, pattern := range p.Patterns {
		if pattern.Confirmed && pattern.MeanOutcome != nil {
			fmt.Fprintf(b, "  confirmed pattern: %s (%d reviewed, mean outcome %.2f)\n", pattern.Pattern,
				pattern.Reviewed, *pattern.MeanOutcome)
		}
	}
	c := p.Calibration
	switch {
	case c == nil:
	case c.BrierScore != nil && c.Accuracy != nil && c.MeanConfidence != nil:
		of := "all categories"
		if c.Category != "" {
			of = c.Category
		}
		fmt.Fprintf(b, "%s so far: %s; mean outcome %.2f, mean confidence %.2f, Brier score %.2f\n", of,
			strings.ReplaceAll(c.Interpretation, "_", " "),
			*c.Accuracy, *c.MeanConfidence, *c.BrierScore)
	case c.Category != "":
		render.WriteNonEmpty(b, c.Category+" so far: %s\n", c.Note)
	}
}
