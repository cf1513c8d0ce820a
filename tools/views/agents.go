package views

import (
	"nomograph/agents"
	"nomograph/internal/terminal"
)

// agentsIntentList formats a list of intents.
func agentsIntentList(l agents.IntentList, page terminal.Page) string {
	rows := make([][]string, len(l.Intents))
	for i, n := range l.Intents {
		allowed := ""
		if n.Allowed != nil {
			allowed = map[bool]string{true: "allowed", false: "denied"}[*n.Allowed]
		}
		rows[i] = []string{n.ID, page.Time(n.At), n.AgentID, n.Stakes, allowed, n.Intent}
	}
	return page.List([]string{"ID", "AT", "AGENT_ID", "STAKES", "GUARDRAILS", "INTENT"}, rows, l.NextCursor)
}
