package records_test

import (
	"strings"
	"testing"

	"nomograph/decisions/records"
	"nomograph/internal/golden"
)

const nygard = "# 3. Use a queue\n\nDate: 2020-01-02\n\n## Status\n\nAccepted\n\n## Context\n\nOrders were lost.\n\n## Decision\n\nWe use a queue.\n"

// TestRead_IndexPagesAndTemplates_AreSkipped: pages that list records, and templates, are skipped with the reason.
func TestRead_IndexPagesAndTemplates_AreSkipped(t *testing.T) {
	for _, c := range golden.Cases(t, "testdata/aside.txt") {
		name, file, _ := strings.Cut(c.Name, " in ")
		entries, problem := records.Markdown(file, "s", strings.ReplaceAll(c.Text+"\n", "{{record}}\n", nygard))
		switch {
		case c.Want == "" && (problem != nil || len(entries) != 1):
			t.Errorf("%s: got problem for %v, want a record: %v", name, file, problem)
		case c.Want != "" && (problem == nil || !problem.NoRecord || !strings.Contains(problem.Why, c.Want)):
			t.Errorf("%s: left aside because of %v, not %q", name, problem, c.Want)
		}
	}
}
