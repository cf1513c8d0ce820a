package history

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"nomograph/internal/render"
	"nomograph/policies"
)

// String tells the history as Layout does.
func (h History) String() string { return h.Layout(render.Page{}) }

// Layout tells a person the history, newest first.
func (h History) Layout(page render.Page) string {
	var b strings.Builder
	for _, e := range h.Entries {
		at := page.Time(e.At)
		if e.Since != nil {
			at = "between " + page.Time(*e.Since) + " and " + at
		}
		fmt.Fprintf(&b, "%s  %s by %s: %s\n", at, e.Kind, e.By, e.Why)
		for _, what := range slices.Sorted(maps.Keys(e.Changes)) {
			fmt.Fprintf(&b, "    %s: %s -> %s\n", what, policies.ShowValueOrNone(e.Changes[what].From), policies.ShowValueOrNone(e.Changes[what].To))
		}
		fmt.Fprintf(&b, "    version %.12s\n", e.To)
	}
	if h.NextCursor != "" {
		b.WriteString(page.More(h.NextCursor) + "\n")
	}
	return b.String()
}
