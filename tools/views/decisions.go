package views

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"nomograph/decisions"
	"nomograph/graph"
	"nomograph/internal/render"
	"nomograph/internal/terminal"
	"nomograph/policies/check"
)

// decisionsPreserved formats the result of set_preserve.
func decisionsPreserved(p decisions.Preserved) string {
	word := "is preserved"
	if !p.Preserve {
		word = "is not preserved"
	}
	if !p.Changed {
		word += " already"
	}
	return fmt.Sprintf("%s  %s\n", p.ID, word)
}

// decisionsRetracted formats the result of retracting a decision.
func decisionsRetracted(r decisions.Retracted) string {
	word := "is retracted: stored, but hidden from searches and lists"
	if !r.Retracted {
		word = "is not retracted"
	}
	if !r.Changed {
		word += " already"
	}
	return fmt.Sprintf("%s  %s\n", r.ID, word)
}

// decisionsRecorded formats the result of recording a decision.
func decisionsRecorded(r decisions.Recorded) string {
	var b strings.Builder
	if r.Success {
		word := "recorded"
		if r.Repeated {
			word = "recorded before"
		}
		fmt.Fprintf(&b, "%s  %s\n%s", r.ID, r.Title, word)
		if !r.Repeated {
			render.WriteNonEmpty(&b, "; quality %.2f", decisionsQualityScore(r))
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
		objections []check.Violation
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
	addNotes(&b, r.Notes)
	return b.String()
}

func decisionsQualityScore(r decisions.Recorded) float64 {
	if r.Quality == nil {
		return 0
	}
	return r.Quality.Score
}

// decisionsUpdated formats the result of updating a decision.
func decisionsUpdated(u decisions.Updated) string {
	if len(u.UpdatedFields) == 0 {
		return fmt.Sprintf("%s is unchanged (revision %d)\n", u.ID, u.Revision)
	}
	return fmt.Sprintf("%s  revision %d: %s\n", u.ID, u.Revision, strings.Join(u.UpdatedFields, ", "))
}

// decisionsReviewed formats the result of a review.
func decisionsReviewed(r decisions.Reviewed) string {
	if r.Repeated {
		return fmt.Sprintf("%s  %s: same as review %d, stored once\n", r.ID, r.Outcome, r.ReviewNumber)
	}
	text := fmt.Sprintf("%s  %s: review %d", r.ID, r.Outcome, r.ReviewNumber)
	if r.SupersedesReview > 0 {
		text += fmt.Sprintf(", replaces review %d, which stays stored", r.SupersedesReview)
	}
	return text + "\n"
}

// decisionsDetails formats a whole decision.
func decisionsDetails(d decisions.Details, page terminal.Page) string {
	var b strings.Builder
	text := func(name string) string { return graph.Text(d.Decision, name) }
	fmt.Fprintf(&b, "%s  %s\n", text("id"), render.Title(text("decision")))
	fmt.Fprintf(&b, "  %s\n", strings.Join(decisionsFacts(d, page), ", "))
	if at := text("retracted_at"); at != "" {
		fmt.Fprintf(&b, "  RETRACTED %s by %s: %s\n", decisionsDayAt(page, at), text("retracted_by"),
			text("retraction"))
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
	lines("reviews", len(w.Reviews), func(i int) string { return decisionsReview(w.Reviews[i], page) })
	lines("links", len(w.Links), func(i int) string { return decisionsLink(w.Links[i]) })
	if w.Deliberation != nil {
		lines("deliberation", len(w.Deliberation.Steps), func(i int) string {
			return w.Deliberation.Steps[i].Type + ": " + render.FirstLine(w.Deliberation.Steps[i].Thought)
		})
	}
	lines("history", len(w.History), func(i int) string { return decisionsRevision(w.History[i], page) })
	return b.String()
}

// decisionsFacts returns the texts in the line below the title.
func decisionsFacts(d decisions.Details, page terminal.Page) []string {
	facts := []string{graph.Text(d.Decision, "category"), graph.Text(d.Decision, "stakes") + " stakes"}
	if confidence, ok := d.Decision["confidence"].(float64); ok {
		facts = append(facts, "confidence "+decisions.ConfidenceText(&confidence))
	}
	if state := decisions.SummaryOf(d.Decision).State(); state != "retracted" &&
		state != graph.Text(d.Decision, "outcome") && graph.Text(d.Decision, "source_status") != "" {
		facts = append(facts, state+" at its source")
	} else {
		facts = append(facts, graph.Text(d.Decision, "status"))
	}
	facts = append(facts, page.ColorWord(graph.Text(d.Decision, "outcome")), graph.Text(d.Decision, "project"), "by "+
		graph.Text(d.Decision, "agent"),
		decisionsDayAt(page, graph.Text(d.Decision, "created_at")))
	if due := graph.Text(d.Decision, "review_by"); due != "" {
		facts = append(facts, "review by "+decisionsDayAt(page, due))
	}
	if tags := graph.Texts(d.Decision["tags"]); len(tags) > 0 {
		facts = append(facts, "#"+strings.Join(tags, " #"))
	}
	return slices.DeleteFunc(facts, func(fact string) bool { return fact == "" || fact == " stakes" || fact == "by " })
}

// decisionsDayAt formats the day of an RFC 3339 time.
func decisionsDayAt(page terminal.Page, text string) string {
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return render.Cut(text, len(time.DateOnly))
	}
	return page.Day(at)
}

func decisionsReview(r decisions.Review, page terminal.Page) string {
	text := fmt.Sprintf("%d. %s, %s by %s", r.Number, page.ColorWord(r.Outcome), page.Day(r.At), r.By)
	if !r.InForce {
		text += " (no longer in force)"
	}
	for _, reply := range []struct{ name, text string }{{"result", r.ActualResult}, {"lessons", r.Lessons},
		{"notes", r.Notes}} {
		if reply.text != "" {
			text += "\n  " + reply.name + ": " + reply.text
		}
	}
	return text
}

func decisionsLink(l decisions.Link) string {
	arrow := "->"
	if l.Direction == "incoming" {
		arrow = "<-"
	}
	return fmt.Sprintf("%s %s %s  %s", arrow, l.Type, l.ID, l.Title)
}

func decisionsRevision(r decisions.Revision, page terminal.Page) string {
	text := fmt.Sprintf("%d. %s by %s", r.Revision, page.Time(r.At), r.By)
	if r.Revision == 0 {
		text += ": recorded"
	}
	if r.Why != "" {
		text += ": " + r.Why
	}
	for _, name := range slices.Sorted(maps.Keys(r.Changes)) {
		text += fmt.Sprintf("\n  %s: %v -> %v", name, decisionsBrief(r.Changes[name].From),
			decisionsBrief(r.Changes[name].To))
	}
	return text
}

// decisionsBrief formats a value on one line.
func decisionsBrief(value any) string {
	const enough = 60
	text, plain := value.(string)
	if value == nil {
		return "-"
	} else if !plain {
		list, _ := render.JSON(value) // from JSON
		text = string(list)
	}
	return render.Cut(render.FirstLine(text), enough)
}
