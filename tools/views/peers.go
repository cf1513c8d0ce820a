package views

import (
	"fmt"
	"strings"

	"nomograph/agents/peers"
	"nomograph/internal/render"
	"nomograph/internal/terminal"
)

// peersAddResult formats the result of adding an agent.
func peersAddResult(a peers.AddResult) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s  %s\n%s", a.Agent.Name, a.Agent.URL, clientCard(a.Agent.Card))
	addNotes(&b, a.Notes)
	return b.String()
}

// peersCardShown formats an agent card with guardrails.
func peersCardShown(l peers.CardResult) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s  %s\n%s", l.Agent, l.URL, clientCard(l.Card))
	render.WriteNonEmpty(&b, "guardrails: %s\n", strings.Join(l.Guardrails, ", "))
	addNotes(&b, l.Notes)
	return b.String()
}

// peersDiscovered formats discovered agents.
func peersDiscovered(d peers.Discovered, page terminal.Page) string {
	rows := make([][]string, len(d.Agents))
	for i, a := range d.Agents {
		known := "new"
		if a.Known {
			known = "known"
		}
		rows[i] = []string{a.Name, a.URL, known, a.Registry, a.Card.Description + a.Error}
	}
	var b strings.Builder
	b.WriteString(page.List([]string{"NAME", "URL", "STATE", "REGISTRY", "CARD"}, rows, ""))
	addNotes(&b, d.Notes)
	return b.String()
}

// peersList formats the list of agents.
func peersList(l peers.List, page terminal.Page) string {
	rows := make([][]string, len(l.Agents))
	for i, a := range l.Agents {
		seen := "-"
		if a.SeenAt != nil {
			seen = page.Time(*a.SeenAt)
		}
		var also []string
		for _, of := range []struct {
			name string
			is   bool
		}{{"listed", a.Listed}, {"subscribed", a.Subscribed}, {"following", a.Following}} {
			if of.is {
				also = append(also, of.name)
			}
		}
		rows[i] = []string{a.Name, a.URL, a.State, seen, a.NoAnswer, a.Source, strings.Join(also, ", ")}
	}
	return page.List([]string{"NAME", "URL", "STATE", "SEEN_AT", "NO_ANSWER", "SOURCE", "ALSO"}, rows, "")
}
