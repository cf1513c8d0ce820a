package tools

import (
	"context"

	"nomograph/policies/cases"
	"nomograph/policies/check"
)

var checkOperations = inToolset("history",
	define(Operation{
		Name:        "check_action",
		Title:       "Check an action",
		Toolset:     "policy",
		Use:         "Check whether policies allow an action. Call before acting. Returns violations and what would pass.",
		Permission:  Read,
		Scope:       OfProject,
		Hints:       readOnly,
		Command:     "policy check DESCRIPTION",
		REST:        "POST /v1/checks",
		CSTP:        "cstp.checkGuardrails",
		FailsClosed: true,
	}, method((*check.Store).CheckInSession)),
	define(Operation{
		Name:       "evaluate_expression",
		Title:      "Evaluate an expression",
		Toolset:    "manage",
		Use:        "Evaluate a CEL expression with the live thresholds. Use it to try a rule's condition on an action. Nothing is stored. To check an action: `check_action`.",
		Permission: Read,
		Scope:      OfProject,
		Hints:      readOnly,
		Command:    "policy eval EXPRESSION",
		CLI:        CommandLine{Stdin: "expression", Value: "value"},
		REST:       "POST /v1/expressions",
	}, method((*check.Store).EvaluateExpression)),
	define(Operation{
		Name:       "explain_verdict",
		Title:      "Explain a verdict",
		Use:        "Explain a verdict. Returns violations, and the values and versions that each rule read. With `replay`, evaluates the same action with today's rules; `with` changes its fields first.",
		Permission: Read,
		Scope:      Filtered,
		Command:    "verdict explain ID",
		Names:      "verdict",
		REST:       "GET /v1/verdicts/{id}",
	}, method((*check.Store).Explain)),
	define(Operation{
		Name:       "list_verdicts",
		Title:      "Verdicts",
		Use:        "List verdicts, newest first. Filter by violated rule, agent, project, result or time.",
		Permission: Read,
		Scope:      Filtered,
		Command:    "verdict list",
		REST:       "GET /v1/verdicts",
	}, method((*check.Store).Verdicts)),
	define(Operation{
		Name:       "get_coverage",
		Title:      "Coverage",
		Use:        "Count executed tool calls with and without a verdict. Returns counts by day, and gaps by client, version, event and reason. Reads what hooks and imported transcripts reported.",
		Permission: Read,
		Scope:      Filtered,
		Command:    "verdict coverage",
		REST:       "GET /v1/coverage",
	}, method((*check.Store).Coverage)),
	define(Operation{
		Name:       "record_executions",
		Title:      "Record executed tool calls",
		Toolset:    "manage",
		Use:        "Record tool calls that a coding agent executed, for coverage. Hooks call it after a tool. A call that is sent again counts once. No text of the call is stored.",
		Permission: Read,
		Scope:      OfProject,
		Ours:       "counts",
		Hints:      readOnly,
		Command:    "verdict executed",
		REST:       "POST /v1/executions",
	}, func(ctx context.Context, app *App, in check.Executions) (check.ExecutionsRecorded, error) {
		for i := range in.Executions { // only the project of the request was checked against the caller's
			in.Executions[i].Project = ""
		}
		out, err := app.Checks.RecordExecutions(ctx, in)
		app.traceExecutions(ctx, out.New)
		return out, err
	}),
	define(Operation{
		Name:       "appeal_verdict",
		Title:      "Appeal a denial",
		Use:        "Appeal a wrong denial, with the reason. A person decides the appeal. An appeal permits nothing: change the action, or ask for approval.",
		Permission: Decide,
		Scope:      Filtered,
		Command:    "verdict appeal ID REASON",
		Names:      "verdict",
		REST:       "POST /v1/verdicts/{id}/appeal",
	}, method((*check.Store).Appeal)),
	define(Operation{
		Name:       "list_appeals",
		Title:      "Appeals",
		Use:        "List appeals of denials, newest first. Filter by state or by the rule that denied.",
		Permission: Read,
		Scope:      Filtered,
		Command:    "verdict appeals",
		REST:       "GET /v1/appeals",
	}, method((*check.Store).Appeals)),
	define(Operation{
		Name:       "uphold_verdict",
		Title:      "Uphold a denial",
		Toolset:    "manage",
		Use:        "Decide that an appealed denial was right. The agent that appealed or was denied cannot decide.",
		Permission: Govern,
		Scope:      Filtered,
		Hints:      destructive,
		Command:    "verdict uphold ID REASON",
		Names:      "verdict",
		REST:       "POST /v1/verdicts/{id}/uphold",
	}, method((*check.Store).Uphold)),
	define(Operation{
		Name:       "overturn_verdict",
		Title:      "Overturn a denial",
		Toolset:    "manage",
		Use:        "Decide that an appealed denial was wrong. The verdict stays and nothing is permitted; the rule report counts the appeal. `write_case` turns it into a test. The agent that appealed or was denied cannot decide.",
		Permission: Govern,
		Scope:      Filtered,
		Hints:      destructive,
		Command:    "verdict overturn ID REASON",
		Names:      "verdict",
		REST:       "POST /v1/verdicts/{id}/overturn",
	}, method((*check.Store).Overturn)),
	define(Operation{
		Name:       "write_case",
		Title:      "Verdict as a test case",
		Use:        "Write a verdict as a test case for a pack. Returns the case alone, or the pack with it; run it with `test_packs`. The case of an overturned denial expects that the action is allowed. Nothing is stored.",
		Permission: Read,
		Scope:      Filtered,
		Hints:      readOnly,
		Command:    "verdict case ID",
		Names:      "verdict",
		CLI: CommandLine{DocumentFlags: []string{"pack"},
			Document: "text"},
		REST: "POST /v1/verdicts/{id}/case",
	}, func(ctx context.Context, app *App, in cases.VerdictQuery) (cases.OfVerdict, error) {
		found, err := app.Checks.Explain(ctx, check.VerdictQuery{ID: in.ID})
		if err != nil {
			return cases.OfVerdict{}, err
		}
		return cases.FromVerdict(ctx, found, in.Pack)
	}),
	define(Operation{
		Name:       "prune_verdicts",
		Title:      "Delete old verdicts",
		Toolset:    "manage",
		Use:        "Delete expired verdicts and executed tool calls. They expire after verdicts.keep_allowed and verdicts.keep_denied. Daily counts stay. Dry run by default. For more than ten, pass their number as `confirm`.",
		Kind:       Job,
		Permission: Admin,
		Ours:       "counts",
		Hints:      replacing,
		Command:    "verdict prune",
		REST:       "POST /v1/verdicts/prune",
	}, method((*check.Store).Prune)),
)
