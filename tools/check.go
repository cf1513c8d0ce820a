package tools

import (
	"context"

	"nomograph/policies/gate"
)

var checkOperations = []Operation{
	define(Operation{
		Name:       "check_action",
		Title:      "Check an action",
		Toolset:    "policy",
		Use:        "Check whether policies allow an action. Call before acting. Returns violations and what would pass.",
		Permission: Read,
		Scope:      OfProject,
		Hints:      readOnly,
		CLI:        CommandLine{Command: "policy check", Args: []string{"description"}, Flags: map[string]string{"agent_id": "agent", "session_id": "session"}},
		REST:       "POST /v1/checks",
		CSTP:       "cstp.checkGuardrails",
		Gate:       true,
		Core:       true,
	}, func(ctx context.Context, app *App, in gate.ActionCheck) (gate.Verdict, error) {
		in.By = callerName(ctx)
		return app.Decisions.Check(ctx, in)
	}),
	define(Operation{
		Name:       "evaluate_expression",
		Title:      "Evaluate an expression",
		Toolset:    "manage",
		Use:        "Evaluate a CEL expression with the live thresholds. Use it to try a rule's condition on an action. Nothing is stored. To check an action: `check_action`.",
		Permission: Read,
		Scope:      OfProject,
		Hints:      readOnly,
		CLI: CommandLine{Command: "policy eval", Args: []string{"expression"}, Stdin: "expression", Value: "value",
			Flags: map[string]string{"agent_id": "agent"}},
		REST: "POST /v1/expressions",
	}, func(ctx context.Context, app *App, in gate.ExpressionQuery) (gate.ExpressionResult, error) {
		in.By = callerName(ctx)
		return app.Gate.EvaluateExpression(ctx, in)
	}),
	define(Operation{
		Name:       "explain_verdict",
		Title:      "Explain a verdict",
		Toolset:    "history",
		Use:        "Explain a verdict. Returns violations, and the values and versions that each rule read. With `replay`, evaluates the same action with today's rules; `with` changes its fields first.",
		Permission: Read,
		Scope:      Filtered,
		Hints:      readOnly,
		CLI:        CommandLine{Command: "verdict explain", Args: []string{"id"}, Names: "verdict"},
		REST:       "GET /v1/verdicts/{id}",
	}, func(ctx context.Context, app *App, in gate.VerdictQuery) (gate.Explanation, error) {
		return app.Gate.Explain(ctx, in)
	}),
	define(Operation{
		Name:       "list_verdicts",
		Title:      "Verdicts",
		Toolset:    "history",
		Use:        "List verdicts, newest first. Filter by violated rule, agent, project, result or time.",
		Permission: Read,
		Scope:      Filtered,
		Hints:      readOnly,
		CLI:        CommandLine{Command: "verdict list", Flags: map[string]string{"agent_id": "by", "date_after": "since", "date_before": "until"}},
		REST:       "GET /v1/verdicts",
	}, func(ctx context.Context, app *App, in gate.VerdictFilter) (gate.VerdictList, error) {
		return app.Gate.Verdicts(ctx, in)
	}),
	define(Operation{
		Name:       "get_coverage",
		Title:      "Coverage",
		Toolset:    "history",
		Use:        "Count executed tool calls of coding agents with and without a verdict, by day. Returns gaps by client, version, event and reason. Reads what hooks and imported transcripts reported.",
		Permission: Read,
		Scope:      Filtered,
		Hints:      readOnly,
		CLI:        CommandLine{Command: "verdict coverage", Flags: map[string]string{"date_after": "since", "date_before": "until"}},
		REST:       "GET /v1/coverage",
	}, func(ctx context.Context, app *App, in gate.CoverageQuery) (gate.Coverage, error) {
		return app.Gate.Coverage(ctx, in)
	}),
	define(Operation{
		Name:       "record_executions",
		Title:      "Record executed tool calls",
		Toolset:    "manage",
		Use:        "Record tool calls that a coding agent executed, for coverage. Hooks call it after a tool. A call that is sent again counts once. No text of the call is stored.",
		Permission: Read,
		Scope:      OfProject,
		Ours:       "counts",
		Hints:      readOnly,
		CLI:        CommandLine{Command: "verdict executed"},
		REST:       "POST /v1/executions",
	}, func(ctx context.Context, app *App, in gate.Executions) (gate.ExecutionsRecorded, error) {
		in.By = callerName(ctx)
		return app.Gate.RecordExecutions(ctx, in)
	}),
	define(Operation{
		Name:       "prune_verdicts",
		Title:      "Delete old verdicts",
		Toolset:    "manage",
		Use:        "Delete verdicts and executed tool calls that are older than configured. Reads verdicts.keep_allowed and verdicts.keep_denied. Daily counts stay.",
		Kind:       Job,
		Permission: Admin,
		Ours:       "counts",
		Hints:      Hints{Destructive: true, Idempotent: true},
		CLI:        CommandLine{Command: "verdict prune"},
		REST:       "POST /v1/verdicts/prune",
	}, func(ctx context.Context, app *App, in gate.PruneRequest) (gate.Pruned, error) {
		return app.Gate.Prune(ctx, in)
	}),
}
