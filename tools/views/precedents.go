package views

import (
	"fmt"
	"slices"
	"strings"

	"nomograph/decisions"
	"nomograph/decisions/precedents"
	"nomograph/internal/render"
	"nomograph/internal/terminal"
)

// precedentsList formats a list of decisions as a table.
func precedentsList(l precedents.List, page terminal.Page) string {
	var b strings.Builder
	head := []string{"ID", "DATE", "STATUS", "TITLE", "CATEGORY", "STAKES", "CONF"}
	// Lists sorted by due date contain only decisions that have one.
	due := !slices.ContainsFunc(l.Decisions, func(d decisions.Summary) bool { return d.ReviewBy == nil })
	if due {
		head = slices.Insert(head, 1, "REVIEW BY")
	}
	rows := make([][]string, len(l.Decisions))
	for i, d := range l.Decisions {
		rows[i] = []string{d.ID, page.Day(d.Date), page.ColorWord(render.OrDash(d.State())), d.Title,
			render.OrDash(d.Category), render.OrDash(d.Stakes), decisions.ConfidenceText(d.Confidence)}
		if due {
			rows[i] = slices.Insert(rows[i], 1, page.Day(*d.ReviewBy))
		}
	}
	if len(rows) > 0 {
		b.WriteString(page.Table(head, rows))
	}
	switch {
	case l.Total != nil:
		fmt.Fprintf(&b, "%d of %d\n", len(l.Decisions), *l.Total)
	case l.TotalAtLeast > 0:
		fmt.Fprintf(&b, "%d of more than %d\n", len(l.Decisions), l.TotalAtLeast)
	case len(l.Decisions) == 0:
		b.WriteString("(none)\n")
	}
	addNotes(&b, l.Notes)
	if l.NextCursor != "" {
		b.WriteString(page.More(l.NextCursor) + "\n")
	}
	return b.String()
}

// precedentsMatches formats found decisions, best first.
func precedentsMatches(m precedents.Matches, page terminal.Page) string {
	var b strings.Builder
	for i, d := range m.Decisions {
		fmt.Fprintf(&b, "%d. %s  %s\n   %s", i+1, d.ID, d.Title, page.Day(d.Date))
		render.WriteNonEmpty(&b, ", %s", d.Category)
		render.WriteNonEmpty(&b, ", %s stakes", d.Stakes)
		if d.Confidence != nil {
			fmt.Fprintf(&b, ", confidence %.2f", *d.Confidence)
		}
		render.WriteNonEmpty(&b, ", %s", page.ColorWord(d.Outcome))
		fmt.Fprintf(&b, ", score %.2f", d.Score)
		if d.Distance != nil {
			fmt.Fprintf(&b, ", distance %.2f", *d.Distance)
		}
		b.WriteByte('\n')
		for _, r := range d.Reasons {
			fmt.Fprintf(&b, "   %s: %s\n", r.Type, render.Title(r.Text))
		}
		render.WriteNonEmpty(&b, "   learned: %s\n", render.Title(d.Lessons))
		render.WriteNonEmpty(&b, "   superseded by %s\n", strings.Join(d.SupersededBy, ", "))
	}
	if len(m.Decisions) == 0 {
		b.WriteString("no decision found\n")
	}
	for i, l := range m.Linked {
		if i == 0 {
			b.WriteString("linked to these:\n")
		}
		fmt.Fprintf(&b, "   %s  %s (%s)\n", l.ID, l.Title, l.Because)
	}
	addNotes(&b, m.Notes)
	return b.String()
}
