package views

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"nomograph/agents/federation"
	"nomograph/agents/peers"
	"nomograph/internal/terminal"
)

// federationVotes formats the votes on an intent.
func federationVotes(h federation.Votes, page terminal.Page) string {
	var b strings.Builder
	fmt.Fprintf(&b, "announced as %s  (correlation id %s)\n", h.IntentID, h.CorrelationID)
	for _, o := range h.Objections {
		fmt.Fprintf(&b, "  objection  %s, %s: %s\n", o.Agent, o.GuardrailID, o.Message)
	}
	for _, s := range h.Suggestions {
		fmt.Fprintf(&b, "  %s suggests: %s\n", s.Agent, s.Text)
	}
	if len(h.SimilarDecisions) > 0 {
		b.WriteString(federationRanking(federation.Ranking{Decisions: h.SimilarDecisions}, page))
	}
	for _, r := range h.Agents {
		switch {
		case !r.Answered:
			fmt.Fprintf(&b, "  %s was not reached: %s\n", r.Agent, r.Error)
		case r.Allowed == nil:
			fmt.Fprintf(&b, "  %s received it and may answer later\n", r.Agent)
		}
	}
	addNotes(&b, h.Notes)
	return b.String()
}

// federationCheckResult formats a check across servers.
func federationCheckResult(c federation.CheckResult, page terminal.Page) string {
	var b strings.Builder
	word := "allowed"
	if !c.Allowed {
		word = "not allowed"
	}
	fmt.Fprintf(&b, "%s  (verdict %s)\n", page.Colorize(map[bool]string{true: "allowed", false: "denied"}[c.Allowed],
		word), c.VerdictID)
	for _, o := range slices.Concat(c.Violations, c.Warnings) {
		fmt.Fprintf(&b, "  %s  %s, %s: %s\n", o.Severity, o.Agent, o.GuardrailID, o.Message)
	}
	for _, d := range c.Contradictions {
		fmt.Fprintf(&b, "  contradiction  %s: %s says %s, %s says %s; the stricter one applies\n", d.GuardrailID,
			d.Stricter.Agent, d.Stricter.Says, d.Laxer.Agent, d.Laxer.Says)
	}
	for _, v := range c.Agents {
		if v.Answered {
			fmt.Fprintf(&b, "  %s answered: %s\n", v.Agent,
				map[bool]string{true: "allowed", false: "not allowed"}[v.Allowed])
		} else {
			fmt.Fprintf(&b, "  %s did not answer, which counts as %s: %s\n", v.Agent, v.CountsAs, v.Error)
		}
	}
	addNotes(&b, c.Notes)
	return b.String()
}

// federationConsensus formats the result of seeking consensus.
func federationConsensus(c federation.Consensus, page terminal.Page) string {
	var b strings.Builder
	fmt.Fprintf(&b, "consensus %s: %d of %d needed agree  (%s)\n",
		page.Colorize(map[bool]string{true: "allowed", false: "denied"}[c.State == federation.Reached], c.State),
		len(c.Agreed), c.Quorum, c.IntentID)
	for _, v := range c.Votes {
		fmt.Fprintf(&b, "  %s %s%s\n", v.AgentID, map[bool]string{true: "agrees", false: "objects"}[v.Allowed],
			strings.Join(append([]string{""}, v.Reasons...), "\n    "))
	}
	for _, name := range c.Silent {
		fmt.Fprintf(&b, "  %s did not answer\n", name)
	}
	if c.ValidUntil != nil {
		fmt.Fprintf(&b, "rules see it until %s\n", page.Time(*c.ValidUntil))
	}
	addNotes(&b, c.Notes)
	return b.String()
}

// federationRanking formats decisions of several servers.
func federationRanking(f federation.Ranking, page terminal.Page) string {
	table := tableOf(page, reflect.ValueOf(f.Decisions),
		"ID=ID TITLE=Title CATEGORY=Category OUTCOME=Outcome SOURCES=Sources.Agent", "")
	return table + federationSilent(f.Agents, f.Notes)
}

// federationSilent lists the servers that did not answer, and notes.
func federationSilent(asked []peers.CallOutcome, notes []string) string {
	var b strings.Builder
	for _, a := range asked {
		if !a.Answered {
			fmt.Fprintf(&b, "no answer of %s: %s\n", a.Agent, a.Error)
		}
	}
	addNotes(&b, notes)
	return b.String()
}
