package tools

import (
	"context"

	"nomograph/decisions"
	"nomograph/decisions/precedents"
)

var decisionOperations = inToolset("decisions",
	define(Operation{
		Name:       "log_decision",
		Title:      "Record a decision",
		Use:        "Record a decision if policies allow it. Attaches earlier queries, checks and thoughts.",
		Permission: Decide,
		Scope:      OfProject,
		CLI: CommandLine{Command: "decision log DECISION",
			Asks: []string{"decision", "category", "stakes", "confidence", "reasons"}},
		REST: "POST /v1/decisions",
		CSTP: "cstp.recordDecision",
	}, func(ctx context.Context, app *App, in decisions.Record) (decisions.Recorded, error) {
		return app.Decisions.Record(ctx, in)
	}),
	define(Operation{
		Name:       "get_decision",
		Title:      "Decision",
		Use:        "Read a decision with deliberation, reviews, links, history.",
		Permission: Read,
		Scope:      Filtered,
		CLI:        CommandLine{Command: "decision show ID", Names: "decision"},
		REST:       "GET /v1/decisions/{id}",
		CSTP:       "cstp.getDecision",
	}, func(ctx context.Context, app *App, in decisions.GetQuery) (decisions.Details, error) {
		return app.Decisions.Get(ctx, in)
	}),
	define(Operation{
		Name:       "list_decisions",
		Title:      "Decisions",
		Toolset:    "explore",
		Use:        "List decisions by category, outcome, project or time. Also by stakes, agent and tags. To search by meaning, use `query_decisions`.",
		Permission: Read,
		Scope:      Filtered,
		CLI:        CommandLine{Command: "decision list"},
		REST:       "GET /v1/decisions",
		CSTP:       "cstp.listDecisions",
	}, func(ctx context.Context, app *App, in precedents.ListQuery) (precedents.List, error) {
		return app.Precedents.List(ctx, in)
	}),
	define(Operation{
		Name:       "update_decision",
		Title:      "Update a decision",
		Use:        "Update a decision. Call after the work with the final text. Earlier texts stay.",
		Permission: Decide,
		Ours:       "ids and names of fields",
		Scope:      Filtered,
		CLI:        CommandLine{Command: "decision update ID", Names: "decision"},
		REST:       "PATCH /v1/decisions/{id}",
		CSTP:       "cstp.updateDecision",
	}, func(ctx context.Context, app *App, in decisions.Update) (decisions.Updated, error) {
		return app.Decisions.Update(ctx, in)
	}),
	define(Operation{
		Name:       "retract_decision",
		Title:      "Retract a decision",
		Toolset:    "manage",
		Use:        "Retract a decision that should not have been recorded. It is stored with the reason and left out of searches, lists and contexts. Can be undone.",
		Permission: Govern,
		Ours:       "ids",
		Scope:      Filtered,
		Hints:      Hints{Destructive: true, Idempotent: true},
		CLI:        CommandLine{Command: "decision retract ID", Names: "decision"},
		REST:       "POST /v1/decisions/{id}/retract",
	}, func(ctx context.Context, app *App, in decisions.Retraction) (decisions.Retracted, error) {
		return app.Decisions.Retract(ctx, in)
	}),
	define(Operation{
		Name: "review_outcome", Asked: "outcome",
		Title:      "Review a decision",
		Use:        "Review the outcome and lessons of a decision. A second review supersedes the first.",
		Permission: Review,
		Ours:       "ids and fixed words",
		Scope:      Filtered,
		CLI:        CommandLine{Command: "decision review ID OUTCOME", Names: "decision"},
		REST:       "POST /v1/decisions/{id}/reviews",
		CSTP:       "cstp.reviewDecision",
	}, reviewOutcome),
)
