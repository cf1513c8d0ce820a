package tools

import (
	"context"

	"nomograph/decisions"
	"nomograph/decisions/attribution"
	"nomograph/decisions/insights"
)

var actionItemOperations = inToolset("insight",
	define(Operation{
		Name:       "ready",
		Title:      "Action items",
		Toolset:    "decisions",
		Use:        "List action items, most urgent first. Overdue reviews, stale decisions and drift.",
		Permission: Read,
		Scope:      Filtered,
		CLI:        CommandLine{Command: "decision ready"},
		REST:       "GET /v1/decisions/ready",
		CSTP:       "cstp.ready",
	}, func(ctx context.Context, app *App, in insights.ReadyQuery) (insights.ReadyList, error) {
		return app.Attention.Ready(ctx, in)
	}),
	define(Operation{
		Name:       "get_today",
		Title:      "Today",
		Use:        "Summarize the day. Lists action items, drift, blocked actions, recent decisions and reviews.",
		Permission: Read,
		Scope:      Filtered,
		CLI:        CommandLine{Command: "today"},
		REST:       "GET /v1/today",
	}, func(ctx context.Context, app *App, in insights.TodayQuery) (insights.Today, error) {
		return app.Attention.Today(ctx, in)
	}),
	define(Operation{
		Name:       "list_contradictions",
		Title:      "Contradictions",
		Use:        "List contradicting decisions. They are linked as contradicting, repeat a failed decision, or replace another without a link.",
		Permission: Read,
		Scope:      Filtered,
		CLI:        CommandLine{Command: "decision contradictions ID", Names: "decision"},
		REST:       "GET /v1/decisions/contradictions",
	}, func(ctx context.Context, app *App, in insights.ContradictionsQuery) (insights.Contradictions, error) {
		return app.Attention.Contradictions(ctx, in)
	}),
	define(Operation{
		Name:       "get_wisdom",
		Title:      "Wisdom",
		Use:        "Summarize lessons of reviewed decisions by category. Returns outcomes, confirmed patterns, failures and the newest lessons.",
		Permission: Read,
		Scope:      Filtered,
		CLI:        CommandLine{Command: "decision wisdom"},
		REST:       "GET /v1/decisions/wisdom",
		CSTP:       "cstp.getWisdom",
	}, func(ctx context.Context, app *App, in insights.WisdomQuery) (insights.Wisdom, error) {
		return app.Attention.Wisdom(ctx, in)
	}),
	define(Operation{
		Name:       "get_compacted",
		Title:      "Compacted decisions",
		Use:        "Show decisions, older ones in less detail. Levels: full, summary, one line, lessons. Stored texts stay complete.",
		Permission: Read,
		Scope:      Filtered,
		CLI:        CommandLine{Command: "decision compacted"},
		REST:       "GET /v1/decisions/compacted",
		CSTP:       "cstp.getCompacted",
	}, func(ctx context.Context, app *App, in insights.CompactedQuery) (insights.Compacted, error) {
		return app.Attention.Compacted(ctx, in)
	}),
	define(Operation{
		Name:       "set_preserve",
		Title:      "Preserve a decision",
		Use:        "Always show a decision in full, or stop doing so.",
		Permission: Decide,
		Ours:       "an id and a truth value",
		Scope:      Filtered,
		Hints:      Hints{Idempotent: true},
		CLI:        CommandLine{Command: "decision preserve ID", Names: "decision"},
		REST:       "PUT /v1/decisions/{id}/preserve",
		CSTP:       "cstp.setPreserve",
	}, func(ctx context.Context, app *App, in decisions.PreserveRequest) (decisions.Preserved, error) {
		return app.Decisions.SetPreserve(ctx, in)
	}),
	define(Operation{
		Name:       "get_salient",
		Title:      "Salient decisions",
		Use:        "List the decisions that most others depend on. Returns them with the links that make up their salience.",
		Permission: Read,
		CLI:        CommandLine{Command: "decision salient"},
		REST:       "GET /v1/decisions/salient",
	}, func(ctx context.Context, app *App, in insights.SalientQuery) (insights.Salient, error) {
		return app.Attention.Salient(ctx, in)
	}),
	define(Operation{
		Name:       "propose_outcomes",
		Title:      "Outcomes from the git history",
		Use:        "Propose outcomes of pending decisions from pull requests. Reads merges and reverts in git. Stores reviews only with `accept`, as far as policies allow.",
		Kind:       Job,
		Permission: Admin,
		Hints:      Hints{Idempotent: true},
		CLI:        CommandLine{Command: "decision attribute PATH"},
		REST:       "POST /v1/decisions/outcomes",
		CSTP:       "cstp.attributeOutcomes",
	}, func(ctx context.Context, app *App, in attribution.Query) (attribution.Attribution, error) {
		return app.Attribution.ProposeOutcomes(ctx, in)
	}),
)
