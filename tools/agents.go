package tools

import (
	"context"

	"nomograph/agents"
	"nomograph/decisions"
	"nomograph/decisions/insights"
	"nomograph/decisions/precedents"
	"nomograph/policies/check"
)

var agentOperations = inToolset("agents",
	define(Operation{
		Name:       "list_guardrails",
		Title:      "Guardrails",
		Use:        "List active guardrails. Returns which actions each applies to and what it requires.",
		Permission: Read,
		Scope:      AllProjects,
		CLI:        CommandLine{Command: "policy guardrails"},
		REST:       "GET /v1/guardrails",
		CSTP:       "cstp.listGuardrails",
	}, func(ctx context.Context, app *App, in check.GuardrailsQuery) (check.GuardrailList, error) {
		return app.Checks.Guardrails(ctx, in)
	}),
	define(Operation{
		Name:       "count_decisions",
		Title:      "Decision counts",
		Use:        "Count decisions by category, status, agent, day and more.",
		Permission: Read,
		Scope:      Filtered,
		CLI:        CommandLine{Command: "decision count"},
		REST:       "GET /v1/decisions/counts",
		CSTP:       "cstp.getStats",
	}, func(ctx context.Context, app *App, in precedents.TallyQuery) (precedents.Tally, error) {
		return app.Precedents.Tally(ctx, in)
	}),
	define(Operation{
		Name:       "count_compacted",
		Title:      "Compaction counts",
		Use:        "Count decisions by level of detail. Levels are those of `get_compacted`. Stored texts stay complete.",
		Permission: Read,
		Ours:       "counts",
		Scope:      Filtered,
		CLI:        CommandLine{Command: "decision compaction"},
		REST:       "GET /v1/decisions/compaction",
		CSTP:       "cstp.compact",
	}, func(ctx context.Context, app *App, in insights.CompactionQuery) (insights.Compaction, error) {
		return app.Attention.Compaction(ctx, in)
	}),
	define(Operation{
		Name:       "get_pending_inputs",
		Title:      "Pending inputs",
		Use:        "Show what the session recorded since its last decision. These events become the deliberation of the next decision.",
		Permission: Read,
		Scope:      AllProjects,
		CLI:        CommandLine{Command: "session pending"},
		REST:       "GET /v1/deliberation",
		CSTP:       "cstp.debugTracker",
	}, func(ctx context.Context, app *App, in decisions.PendingQuery) (decisions.PendingInputs, error) {
		return app.Decisions.PendingInputs(ctx, in)
	}),
	define(Operation{
		Name:        "announce_intent",
		Title:       "Announce an intent",
		Use:         "Announce to other agents what you are about to do. Returns guardrail results and similar decisions. Other agents may object.",
		Permission:  Announce,
		Scope:       OfProject,
		Hints:       Hints{Idempotent: true},
		CLI:         CommandLine{Command: "intent announce INTENT"},
		REST:        "POST /v1/intents",
		CSTP:        "cstp.announceIntent",
		FailsClosed: true,
	}, func(ctx context.Context, app *App, in agents.AnnounceRequest) (agents.AnnounceResult, error) {
		return app.Agents.Announce(ctx, in)
	}),
	define(Operation{
		Name:       "list_intents",
		Title:      "Intents",
		Use:        "List announced intents, newest first.",
		Permission: Announce,
		Scope:      Filtered,
		CLI:        CommandLine{Command: "intent list"},
		REST:       "GET /v1/intents",
		CSTP:       "cstp.listIntents",
	}, func(ctx context.Context, app *App, in agents.IntentsQuery) (agents.IntentList, error) {
		return app.Agents.Intents(ctx, in)
	}),
	define(Operation{
		Name:       "get_intent",
		Title:      "Intent",
		Use:        "Show an intent and the votes of other agents.",
		Permission: Announce,
		Scope:      Filtered,
		CLI:        CommandLine{Command: "intent show INTENT_ID"},
		REST:       "GET /v1/intents/{intent_id}",
		CSTP:       "cstp.getIntent",
	}, func(ctx context.Context, app *App, in agents.IntentQuery) (agents.IntentDetails, error) {
		return app.Agents.Intent(ctx, in)
	}),
	define(Operation{
		Name:       "answer_intent",
		Title:      "Vote on an intent",
		Use:        "Vote on another agent's intent. Agree, or object with a reason. All votes are stored.",
		Permission: Announce,
		Scope:      Filtered,
		CLI:        CommandLine{Command: "intent answer INTENT_ID REASONS"},
		REST:       "POST /v1/intents/{intent_id}/votes",
		CSTP:       "cstp.answerIntent",
	}, func(ctx context.Context, app *App, in agents.VoteRequest) (agents.VoteResult, error) {
		return app.Agents.Answer(ctx, in)
	}),
	define(Operation{
		Name:       "search_shared",
		Title:      "Shared decisions",
		Use:        "Search the decisions that are shared with you. For agents of other servers. Returns title, category, stakes, confidence, outcome and date only.",
		Permission: Federate,
		Scope:      Filtered,
		Hints:      readOnly,
		CLI:        CommandLine{Command: "decision shared QUERY", Open: []string{"filters"}},
		REST:       "POST /v1/decisions/shared",
		CSTP:       "cstp.queryDecisions",
	}, func(ctx context.Context, app *App, in agents.Query) (agents.SearchResult, error) {
		return app.Agents.Search(ctx, in)
	}),
	define(Operation{
		Name:        "ask_guardrails",
		Title:       "Check guardrails",
		Use:         "Check guardrails as an agent of another server. Returns violations with their messages, without the values that rules read.",
		Permission:  Federate,
		Scope:       OfProject,
		Hints:       readOnly,
		CLI:         CommandLine{Command: "policy ask DESCRIPTION"},
		REST:        "POST /v1/guardrails/ask",
		CSTP:        "cstp.checkGuardrails",
		FailsClosed: true,
	}, func(ctx context.Context, app *App, in agents.Action) (agents.Verdict, error) {
		return app.Agents.Ask(ctx, in)
	}),
)
