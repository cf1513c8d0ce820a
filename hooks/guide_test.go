package hooks_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"nomograph/hooks"
	"nomograph/internal/golden"
)

// TestGuide_Clients_MatchTheTable: the guide's table of clients, and its list of traps, are made from the contracts.
func TestGuide_Clients_MatchTheTable(t *testing.T) {
	made := "| name | events before an action | events of a prompt | denial | timeout | if a hook fails |\n|---|---|---|---|---|---|\n"
	traps := ""
	for _, c := range hooks.Clients() {
		name, timeout, denial := "`"+c.Name+"`", "none", []string{}
		if c.Minimum != "" {
			name += " (" + c.Minimum + " or newer)"
		}
		if c.Timeout > 0 {
			timeout = fmt.Sprintf("%d s", c.Timeout)
		}
		answer := c.Answer("", hooks.Verdict{Decision: hooks.Deny, Reason: "No."})
		if answer.Stdout != "" {
			denial = append(denial, "JSON")
		}
		if answer.Exit != 0 {
			denial = append(denial, fmt.Sprintf("exit code %d", answer.Exit))
		}
		made += fmt.Sprintf("| %s | %s | %s | %s | %s | %s |\n", name, eventsOf(c, hooks.BeforeAction),
			eventsOf(c, hooks.BeforePrompt), strings.Join(denial, " and "), timeout, c.Failure)
		if len(c.Traps) > 0 {
			traps += fmt.Sprintf("- **%s:** %s.\n", c.Title, strings.Join(c.Traps, ". "))
		}
	}
	golden.Section(t, "../docs/guides/hooks.md", "<!-- made from hooks.Clients by `make surface` -->", made+
		"\nKnown traps:\n\n"+traps)
}

// eventsOf lists the events with a use. Those that hook install does not write are in parentheses.
func eventsOf(c hooks.Client, use hooks.Use) string {
	var names []string
	for _, e := range c.Events {
		switch {
		case e.Use == use && slices.Contains(c.Installed(use), e.Name):
			names = append(names, e.Name)
		case e.Use == use:
			names = append(names, "("+e.Name+")")
		}
	}
	return strings.Join(names, ", ")
}
