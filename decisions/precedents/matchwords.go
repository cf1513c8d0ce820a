package precedents

import (
	"fmt"
	"strings"

	"nomograph/internal/render"
)

// String tells what was found as Layout does.
func (m Matches) String() string { return m.Layout(render.Page{}) }

// Layout tells a person what was found, best first.
func (m Matches) Layout(page render.Page) string {
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
		render.WriteNonEmpty(&b, "   learnt: %s\n", render.Title(d.Lessons))
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
	for _, note := range m.Notes {
		fmt.Fprintf(&b, "note: %s\n", note)
	}
	return b.String()
}
