package views

import (
	"fmt"
	"strings"
	"time"

	"nomograph/internal/render"
	"nomograph/internal/terminal"
	"nomograph/policies"
	"nomograph/policies/proposals"
)

// proposalsProposal formats a proposal with the next step.
func proposalsProposal(p proposals.Proposal, page terminal.Page) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s  %s, proposed by %s %s\n", p.ProposalID, page.ColorWord(p.State), terminal.Line(p.ProposedBy),
		page.Time(p.CreatedAt))
	b.WriteString(page.HangingIndent("  reason   ", p.Reason) + "\n")
	if p.OpenedAt != nil && p.OpenedAt.Sub(p.CreatedAt) > time.Second {
		fmt.Fprintf(&b, "  opened   by %s %s\n", terminal.Line(p.OpenedBy), page.Time(*p.OpenedAt))
	}
	fmt.Fprintf(&b, "  plan     %s\n", p.Plan[:min(len(p.Plan), proposals.PlanShown)])
	rows := make([][]string, len(p.Rows))
	for i, r := range p.Rows {
		name := render.OrDash(r.Property)
		to := policies.ShowValueOrNone(r.To)
		if r.Unusual != "" {
			to += " (" + r.Unusual + ")"
		}
		rows[i] = []string{r.Action, r.Section, r.Name, name, policies.ShowValueOrNone(r.From), to}
	}
	b.WriteString("\n" + page.Table([]string{"ACTION", "SECTION", "NAME", "PROPERTY", "BEFORE", "AFTER"}, rows) + "\n")
	if r := p.Replay; r != nil {
		window := "of all time"
		if r.From != nil {
			window = "since " + r.From.Format(time.DateOnly)
		}
		if r.Limited {
			window += ", only of the proposer's projects"
		}
		fmt.Fprintf(&b, "  replay   %s %s: %d newly denied, %d newly allowed, %d undetermined\n",
			render.Plural(r.Acts, "act"), window, r.Blocked, r.Unblocked, r.Undetermined)
	}
	render.WriteNonEmpty(&b, "  cases    %d passed\n", p.CasesPassed)
	for _, s := range p.Because {
		fmt.Fprintf(&b, "  because  %s %s %s %s\n", s.Kind, s.ID, s.Outcome, terminal.Line(render.Cut(s.Text, 80)))
	}
	if p.DecidedBy != "" {
		fmt.Fprintf(&b, "  decided  by %s: %s\n", terminal.Line(p.DecidedBy), terminal.Line(p.DecisionReason))
	}
	render.WriteNonEmpty(&b, "  applied  by %s\n", terminal.Line(p.AppliedBy))
	next := map[string]string{
		proposals.StateDraft: "nomograph proposal open %s",
		proposals.StateStale: "nomograph proposal open %s",
		proposals.StateOpen: "nomograph proposal approve %s REASON --plan " +
			p.Plan[:min(len(p.Plan), proposals.PlanShown)] + ", by another person",
		proposals.StateApproved: "nomograph proposal apply %s",
	}[p.State]
	if next != "" {
		fmt.Fprintf(&b, "next: "+next+"\n", p.ProposalID)
	}
	return b.String()
}
