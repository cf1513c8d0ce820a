package views

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"nomograph/internal/terminal"
	"nomograph/policies"
	"nomograph/policies/history"
)

// historyHistory formats a history, newest first.
func historyHistory(h history.History, page terminal.Page) string {
	var b strings.Builder
	for _, e := range h.Entries {
		at := page.Time(e.At)
		if e.Since != nil {
			at = "between " + page.Time(*e.Since) + " and " + at
		}
		fmt.Fprintf(&b, "%s  %s by %s: %s\n", at, e.Kind, e.By, e.Why)
		for _, property := range slices.Sorted(maps.Keys(e.Changes)) {
			fmt.Fprintf(&b, "    %s: %s -> %s\n", property, policies.ShowValueOrNone(e.Changes[property].From),
				policies.ShowValueOrNone(e.Changes[property].To))
		}
		fmt.Fprintf(&b, "    version %.12s\n", e.To)
	}
	if h.NextCursor != "" {
		b.WriteString(page.More(h.NextCursor) + "\n")
	}
	return b.String()
}
