package records_test

import (
	"errors"
	"strings"
	"testing"

	"nomograph/decisions/records"
)

const nygard = "# 3. Use a queue\n\nDate: 2020-01-02\n\n## Status\n\nAccepted\n\n## Context\n\nOrders were lost.\n\n## Decision\n\nWe use a queue.\n"

// TestRead_IndexPagesAndTemplates_AreSkipped: pages that list records, and templates, are skipped with the reason.
func TestRead_IndexPagesAndTemplates_AreSkipped(t *testing.T) {
	for name, c := range map[string]struct{ file, text, aside string }{
		"a table":                {"README.md", "# Decisions\n\n| ADR | Title | Status |\n|---|---|---|\n| 1 | [Use X](0001-x.md) | Accepted |\n| 2 | [Use Y](0002-y.md) | Proposed |\n", "lists 2"},
		"a list under Decisions": {"index.md", "# Architecture\n\nWhat we decided.\n\n## Decisions\n\n- [1. Use X](0001-x.md)\n- [2. Use Y](0002-y.md)\n", "lists 2"},
		"with a status": {"docs/README.md",
			"# Records\n\nStatus: current\n\n## Decision\n\nWe keep records. See\n\n* ADR-0001: [Use X](0001-x.md)\n* ADR-0002: [Use Y](0002-y.md)\n", "lists 2"},
		"a page of any name": {"all-of-them.md",
			"# Log\n\n**Status:** living\n\n1. [Use X](0001-x.md) - accepted\n2. [Use Y](0002-y.md) - accepted\n3. [[0003-z]]\n", "lists 3"},
		"log4brains":         {"index.md", "# Architecture knowledge base\n\nWelcome.\n\n## Decision\n\nWe use log4brains.\n", "not a record"},
		"a template by name": {"templates/adr.md", nygard, "template"},
		"a template of MADR": {"adr-tmpl.md", nygard, "template"},
		"a template of adr-tools": {"0000-form.md",
			"# NUMBER. TITLE\n\nDate: DATE\n\n## Status\n\nSTATUS\n\n## Decision\n\nThe change that we're proposing or have agreed to implement.\n", "template"},
		"a template with brackets": {"form.md", "# <title>\n\n## Status\n\n<status>\n\n## Decision\n\n<decision>\n",
			"template"},
		"a choice of states":     {"form.md", "# Title of it\n\n## Status\n\nproposed | accepted | rejected\n\n## Decision\n\nWords\n", "template"},
		"a record":               {"0003-queue.md", nygard, ""},
		"in a folder of its own": {"0003-queue/README.md", nygard, ""},
		"that is called README":  {"README.md", nygard, ""},
		"with many links": {"0003-queue.md", nygard +
			"\n## Links\n\n* [one](0001-a.md)\n* [two](0002-b.md)\n* [three](0004-c.md)\n* [four](0005-c.md)\n* [five](0006-c.md)\n* [six](0007-c.md)\n", ""},
		"about templates": {"0004-use-mustache.md",
			strings.Replace(nygard, "Use a queue", "Template engine for mails", 1), ""},
		"superseded": {"0004-x.md", "# 4. X\n\n* Status: superseded by [5](0005-y.md)\n* Supersedes: [2](0002-y.md)\n\n## Decision\n\nWe use X.\n", ""},
	} {
		entries, problem := records.Markdown(c.file, "s", c.text)
		switch {
		case c.aside == "" && (problem != nil || len(entries) != 1):
			t.Errorf("%s: got problem for %v, want a record: %v", name, c.file, problem)
		case c.aside != "" && (problem == nil || !problem.NoRecord || !strings.Contains(problem.Why, c.aside)):
			t.Errorf("%s: left aside because of %v, not %q", name, errors.Join(problemOf(problem)), c.aside)
		}
	}
}

func problemOf(p *records.Problem) error {
	if p == nil {
		return nil
	}
	return p
}
