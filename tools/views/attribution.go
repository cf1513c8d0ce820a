package views

import (
	"fmt"
	"strings"
	"time"

	"nomograph/decisions/attribution"
	"nomograph/internal/render"
)

// attributionAttribution formats proposed outcomes.
func attributionAttribution(a attribution.Attribution) string {
	var b strings.Builder
	for _, p := range a.Proposals {
		word := "propose"
		switch {
		case p.Accepted:
			word = "accepted"
		case len(p.DeniedBy) > 0:
			word = "denied"
		}
		fmt.Fprintf(&b, "%-8s  %s  %s: %s\n          %s\n", word, p.ID, p.Outcome, p.Title, p.Reason)
		render.WriteNonEmpty(&b, "          denied by %s\n", strings.Join(p.DeniedBy, ", "))
	}
	for _, w := range a.Waiting {
		fmt.Fprintf(&b, "wait      %s  until %s: %s\n", w.ID, w.Until.Format(time.DateOnly), w.Title)
	}
	fmt.Fprintf(&b, "%s: %s with a pull request or commit, %s, %d too recent, %d not in the history\n", a.Project,
		render.Plural(a.Processed, "pending decision"), render.Plural(len(a.Proposals), "proposal"),
		len(a.Waiting), a.NotFound)
	switch {
	case a.Accepted > 0:
		fmt.Fprintf(&b, "%d accepted\n", a.Accepted)
	case len(a.Proposals) > 0:
		b.WriteString("accept all with --accept, or some with --accept --ids ID\n")
	}
	addNotes(&b, a.Notes)
	return b.String()
}
