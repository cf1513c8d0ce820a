package decisions

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"nomograph/graph"
	"nomograph/internal/render"
	"nomograph/policies/gate"
)

// String tells a person what became of recording a decision.
func (r Recorded) String() string {
	var b strings.Builder
	if r.Success {
		word := "recorded"
		if r.Repeated {
			word = "recorded before"
		}
		fmt.Fprintf(&b, "%s  %s\n%s", r.ID, r.Title, word)
		if !r.Repeated {
			render.WriteNonEmpty(&b, "; quality %.2f", r.qualityScore())
			if r.DeliberationInputs > 0 {
				fmt.Fprintf(&b, "; %s of the session attached", render.Plural(r.DeliberationInputs, "event"))
			}
			render.WriteNonEmpty(&b, "; linked to %d", r.GraphEdgesCreated)
		}
		b.WriteByte('\n')
	} else {
		b.WriteString("not recorded\n")
	}
	for _, list := range []struct {
		word       string
		objections []gate.Violation
	}{{"blocks", r.Violations}, {"warns", r.Warnings}} {
		for _, o := range list.objections {
			fmt.Fprintf(&b, "  %s %s: %s\n", o.GuardrailID, list.word, o.Message)
			render.WriteNonEmpty(&b, "    to pass  %s\n", strings.Join(o.WouldPass, "; "))
		}
	}
	render.WriteNonEmpty(&b, "forced: %s\n", r.Forced)
	if r.Quality != nil && r.Success {
		for _, suggestion := range r.Quality.Suggestions {
			fmt.Fprintf(&b, "  better: %s\n", suggestion)
		}
	}
	for _, note := range r.Notes {
		fmt.Fprintf(&b, "note: %s\n", note)
	}
	return b.String()
}

func (r Recorded) qualityScore() float64 {
	if r.Quality == nil {
		return 0
	}
	return r.Quality.Score
}

// String tells a person what an update changed.
func (u Updated) String() string {
	if len(u.UpdatedFields) == 0 {
		return fmt.Sprintf("%s says all that already (revision %d)\n", u.ID, u.Revision)
	}
	return fmt.Sprintf("%s  revision %d: %s\n", u.ID, u.Revision, strings.Join(u.UpdatedFields, ", "))
}

// String tells a person what a review made of a decision.
func (r Reviewed) String() string {
	if r.Repeated {
		return fmt.Sprintf("%s  %s: you said so before (review %d)\n", r.ID, r.Outcome, r.ReviewNumber)
	}
	text := fmt.Sprintf("%s  %s: review %d", r.ID, r.Outcome, r.ReviewNumber)
	if r.SupersedesReview > 0 {
		text += fmt.Sprintf(", in the place of review %d, which stays", r.SupersedesReview)
	}
	return text + "\n"
}

// ConfidenceText writes a confidence as short as it can be read again, and - where there is none.
func ConfidenceText(confidence *float64) string {
	if confidence == nil {
		return "-"
	}
	return strconv.FormatFloat(*confidence, 'g', -1, 64)
}

// String tells the decision as Layout does.
func (d Details) String() string { return d.Layout(render.Page{}) }

// Layout tells a person the whole decision.
func (d Details) Layout(page render.Page) string {
	var b strings.Builder
	text := func(name string) string { return graph.Text(d.Decision, name) }
	fmt.Fprintf(&b, "%s  %s\n", text("id"), render.Title(text("decision")))
	fmt.Fprintf(&b, "  %s\n", strings.Join(d.facts(page), ", "))
	if at := text("retracted_at"); at != "" {
		fmt.Fprintf(&b, "  RETRACTED %s by %s: %s\n", dayAt(page, at), text("retracted_by"), text("retraction"))
	}
	if full := strings.TrimSpace(text("decision")); full != render.Title(full) {
		render.QuotedSection(&b, "decision", full)
	}
	render.QuotedSection(&b, "context", text("context"))
	render.QuotedSection(&b, "pattern", text("pattern"))
	if text("bridge_method") == "explicit" {
		render.QuotedSection(&b, "bridge", text("structure")+" — for "+text("function"))
	}
	lines := func(name string, n int, line func(i int) string) {
		all := make([]string, n)
		for i := range all {
			all[i] = line(i)
		}
		render.Section(&b, name, strings.Join(all, "\n"))
	}
	w := d.Around
	lines("reasons", len(w.Reasons), func(i int) string { return w.Reasons[i].Type + ": " + w.Reasons[i].Text })
	lines("reviews", len(w.Reviews), func(i int) string { return w.Reviews[i].line(page) })
	lines("links", len(w.Links), func(i int) string { return w.Links[i].line() })
	if w.Deliberation != nil {
		lines("deliberation", len(w.Deliberation.Steps), func(i int) string {
			return w.Deliberation.Steps[i].Type + ": " + render.FirstLine(w.Deliberation.Steps[i].Thought)
		})
	}
	lines("history", len(w.History), func(i int) string { return w.History[i].line(page) })
	return b.String()
}

// facts are what stands in one line under the title.
func (d Details) facts(page render.Page) []string {
	facts := []string{graph.Text(d.Decision, "category"), graph.Text(d.Decision, "stakes") + " stakes"}
	if confidence, known := d.Decision["confidence"].(float64); known {
		facts = append(facts, "confidence "+ConfidenceText(&confidence))
	}
	if state := SummaryOf(d.Decision).State(); state != "retracted" && state != graph.Text(d.Decision, "outcome") && graph.Text(d.Decision, "source_status") != "" {
		facts = append(facts, state+" at its source")
	} else {
		facts = append(facts, graph.Text(d.Decision, "status"))
	}
	facts = append(facts, page.ColorWord(graph.Text(d.Decision, "outcome")), graph.Text(d.Decision, "project"), "by "+graph.Text(d.Decision, "agent"),
		dayAt(page, graph.Text(d.Decision, "created_at")))
	if due := graph.Text(d.Decision, "review_by"); due != "" {
		facts = append(facts, "review by "+dayAt(page, due))
	}
	if tags := graph.Texts(d.Decision["tags"]); len(tags) > 0 {
		facts = append(facts, "#"+strings.Join(tags, " #"))
	}
	return slices.DeleteFunc(facts, func(fact string) bool { return fact == "" || fact == " stakes" || fact == "by " })
}

// dayAt is the day of an RFC 3339 time.
func dayAt(page render.Page, text string) string {
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return render.Cut(text, len(time.DateOnly))
	}
	return page.Day(at)
}

func (r Review) line(page render.Page) string {
	text := fmt.Sprintf("%d. %s, %s by %s", r.Number, page.ColorWord(r.Outcome), page.Day(r.At), r.By)
	if !r.InForce {
		text += " (no longer in force)"
	}
	for _, said := range []struct{ name, text string }{{"result", r.ActualResult}, {"lessons", r.Lessons}, {"notes", r.Notes}} {
		if said.text != "" {
			text += "\n  " + said.name + ": " + said.text
		}
	}
	return text
}

func (l Link) line() string {
	arrow := "->"
	if l.Direction == "incoming" {
		arrow = "<-"
	}
	return fmt.Sprintf("%s %s %s  %s", arrow, l.Type, l.ID, l.Title)
}

func (r Revision) line(page render.Page) string {
	text := fmt.Sprintf("%d. %s by %s", r.Revision, page.Time(r.At), r.By)
	if r.Revision == 0 {
		text += ": recorded"
	}
	if r.Why != "" {
		text += ": " + r.Why
	}
	for _, name := range slices.Sorted(maps.Keys(r.Changes)) {
		text += fmt.Sprintf("\n  %s: %v -> %v", name, brief(r.Changes[name].From), brief(r.Changes[name].To))
	}
	return text
}

// brief is a value in a line.
func brief(value any) string {
	const enough = 60
	if value == nil {
		return "-"
	}
	return render.Cut(render.FirstLine(fmt.Sprint(value)), enough)
}
