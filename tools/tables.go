package tools

import (
	"nomograph/policies/lint"
	"nomograph/policies/table"
)

var tableOperations = inToolset("tables",
	define(Operation{
		Name:       "evaluate_table",
		Title:      "Evaluate a table",
		Use:        "Evaluate a decision table with live thresholds. Returns the matching row, its outputs, and the values and versions that it read. `matched` is false if no row matches.",
		Permission: Read,
		Scope:      AllProjects,
		Hints:      readOnly,
		Command:    "table evaluate TABLE",
		Names:      "table",
		REST:       "POST /v1/tables/{table}/evaluate",
	}, method((*table.Store).Evaluate)),
	withProperties(define(Operation{
		Name:       "get_table",
		Title:      "Decision table",
		Use:        "Read a SYS_DecisionTable node with its rows. Rows are in order, with their thresholds.",
		Permission: Read,
		Scope:      AllProjects,
		Command:    "table get TABLE",
		Names:      "table",
		REST:       "GET /v1/tables/{table}",
	}, method((*table.Store).Get))),
	define(Operation{
		Name:       "list_tables",
		Title:      "Decision tables",
		Use:        "List decision tables with label and hit policy. Counts their rows and thresholds.",
		Permission: Read,
		Scope:      AllProjects,
		Command:    "table list",
		REST:       "GET /v1/tables",
	}, method((*table.Store).List)),
	define(Operation{
		Name:       "lint_policies",
		Title:      "Lint policies",
		Toolset:    "manage",
		Use:        "Lint rules, rows and thresholds. Finds duplicated numbers, unreachable or overlapping rows, rules that never apply, unused thresholds.",
		Permission: Govern,
		Hints:      readOnly,
		Command:    "policy lint",
		CLI:        CommandLine{Documents: "packs", Print: "summary"},
		REST:       "POST /v1/packs/lint",
	}, method((*lint.Store).Packs)),
)

// withProperties allows additional properties in the answer: the node's own ones.
func withProperties(o Operation) Operation {
	o.made.properties = true
	return o
}
