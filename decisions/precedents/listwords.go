package precedents

import (
	"fmt"
	"slices"
	"strings"

	"nomograph/decisions"
	"nomograph/internal/render"
)

// String is the list as Layout has it.
func (l List) String() string { return l.Layout(render.Page{}) }

// Layout is the list as a table.
func (l List) Layout(page render.Page) string {
	var b strings.Builder
	head := []string{"ID", "DATE", "STATUS", "TITLE", "CATEGORY", "STAKES", "CONF"}
	// Sorted by it, the list has only decisions with a due date.
	due := !slices.ContainsFunc(l.Decisions, func(d decisions.Summary) bool { return d.ReviewBy == nil })
	if due {
		head = slices.Insert(head, 1, "REVIEW BY")
	}
	rows := make([][]string, len(l.Decisions))
	for i, d := range l.Decisions {
		rows[i] = []string{d.ID, page.Day(d.Date), page.ColorWord(render.OrDash(d.State())), d.Title, render.OrDash(d.Category), render.OrDash(d.Stakes), decisions.ConfidenceText(d.Confidence)}
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
	for _, note := range l.Notes {
		fmt.Fprintf(&b, "note: %s\n", note)
	}
	if l.NextCursor != "" {
		b.WriteString(page.More(l.NextCursor) + "\n")
	}
	return b.String()
}
