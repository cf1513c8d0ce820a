package views

import (
	"fmt"
	"strings"

	"nomograph/decisions/insights"
	"nomograph/internal/render"
	"nomograph/internal/terminal"
)

// insightsReadyList formats the ready queue.
func insightsReadyList(l insights.ReadyList) string {
	var b strings.Builder
	for _, a := range l.Actions {
		fmt.Fprintln(&b, insightsDueAction(a))
	}
	switch {
	case len(l.Actions) == 0:
		b.WriteString("nothing is due\n")
	case l.AtLeast:
		fmt.Fprintf(&b, "%d of at least %d\n", len(l.Actions), l.Total-l.Filtered)
	default:
		fmt.Fprintf(&b, "%d of %d\n", len(l.Actions), l.Total-l.Filtered)
	}
	addNotes(&b, l.Warnings)
	return b.String()
}

// insightsDueAction formats an action item in two lines.
func insightsDueAction(a insights.DueAction) string {
	title := a.Title
	if a.ID != "" {
		title = a.ID + "  " + a.Title
	} else if a.Category != "" {
		title = a.Category
	}
	return fmt.Sprintf("%-6s  %s\n        %s", a.Priority, title, a.Reason)
}

// insightsToday formats the daily summary.
func insightsToday(t insights.Today, page terminal.Page) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n", t.At.Format("Monday, 2 January 2006"))
	pressing := t.Ready.Total - t.Ready.Filtered
	insightsPart(&b, "Frozen", "", len(t.Frozen), func(i int) string { return t.Frozen[i].Message })
	insightsPart(&b, "Due", insightsCount(pressing, t.Ready.AtLeast), len(t.Ready.Actions),
		func(i int) string { return insightsDueAction(t.Ready.Actions[i]) })
	insightsPart(&b, "Drifting", "", len(t.Drifting), func(i int) string { return insightsDueAction(t.Drifting[i]) })
	insightsPart(&b, "Circuit breakers", "", len(t.Circuits),
		func(i int) string { return page.ColorWord(t.Circuits[i].State) + "  " + t.Circuits[i].Scope })
	insightsPart(&b, "Blocked", insightsNewest(insightsCount(t.Blocked.Count, t.Blocked.AtLeast), len(t.Blocked.Newest),
		t.Blocked.Count), len(t.Blocked.Newest), func(i int) string {
		return insightsBlockedAction(t.Blocked.Newest[i], page)
	})
	for _, list := range []struct {
		name string
		insights.DayDecisions
	}{{"Recorded", t.Recorded}, {"Reviewed", t.Reviewed}} {
		insightsPart(&b, list.name, insightsNewest(insightsCount(list.Count, list.AtLeast), len(list.Newest),
			list.Count), len(list.Newest), func(i int) string {
			d := list.Newest[i]
			return strings.TrimSpace(fmt.Sprintf("%-9s %s  %s", d.Outcome, d.ID, d.Title))
		})
	}
	if len(t.Frozen)+len(t.Ready.Actions)+len(t.Drifting)+len(t.Circuits)+t.Blocked.Count == 0 {
		fmt.Fprintf(&b, "\nNothing is due. In the last %s: %s recorded, %d reviewed.\n", render.Plural(t.Hours, "hour"),
			render.Plural(t.Recorded.Count, "decision"), t.Reviewed.Count)
	}
	addNotes(&b, t.Ready.Warnings)
	return b.String()
}

func insightsBlockedAction(a insights.BlockedAction, page terminal.Page) string {
	title := render.OrDash(render.Title(a.Description))
	if a.Forced != "" {
		title += " (forced: " + render.Title(a.Forced) + ")"
	}
	at := a.At.Format("15:04")
	if !page.Now.IsZero() {
		at = page.Time(a.At)
	}
	return fmt.Sprintf("%s  %s, by %s\n       %s", at, title, render.OrDash(a.AgentID), strings.Join(a.Rules, ", "))
}

// insightsPart writes a heading with the total and one line per shown item, or nothing if there are none.
func insightsPart(b *strings.Builder, name, total string, shown int, line func(i int) string) {
	if shown == 0 {
		return
	}
	fmt.Fprintf(b, "\n%s\n", strings.TrimSpace(name+" "+total))
	for i := range shown {
		fmt.Fprintf(b, "  %s\n", strings.ReplaceAll(line(i), "\n", "\n  "))
	}
}

// insightsNewest adds the number of shown items to the total if not all are shown.
func insightsNewest(total string, shown, of int) string {
	if shown == of {
		return total
	}
	return fmt.Sprintf("%s, the newest %d", total, shown)
}

func insightsCount(n int, atLeast bool) string {
	if atLeast {
		return fmt.Sprintf("(at least %d)", n)
	}
	return fmt.Sprintf("(%d)", n)
}
