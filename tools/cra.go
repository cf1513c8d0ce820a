package tools

import (
	"context"

	"nomograph/sessions"
)

var craOperations = inToolset("cra",
	define(Operation{
		Name:       "cra_start_session",
		Title:      "Start a governed session",
		Use:        "Start a governed session. Call this first. Returns the contexts that always apply and those that match the goal.",
		Permission: Decide,
		Scope:      Filtered,
		CLI:        CommandLine{Command: "session start GOAL"},
		REST:       "POST /v1/session/start",
	}, func(ctx context.Context, app *App, in sessions.Start) (sessions.Started, error) {
		return app.Sessions.Start(ctx, in)
	}),
	define(Operation{
		Name:       "cra_bootstrap",
		Title:      "Bootstrap a session",
		Toolset:    "trace",
		Use:        "Start a governed session and list its rules. Returns the rules on each of your actions, and the initial contexts.",
		Permission: Decide,
		Scope:      OfProject,
		CLI:        CommandLine{Command: "session bootstrap INTENT CAPABILITIES"},
		REST:       "POST /v1/session/bootstrap",
	}, func(ctx context.Context, app *App, in sessions.Bootstrap) (sessions.Bootstrapped, error) {
		in.AsksUser = mayAskUser(ctx, app)
		return app.Sessions.Bootstrap(ctx, in)
	}),
	define(Operation{
		Name:           "cra_get_session",
		Title:          "Session state",
		Toolset:        "trace",
		Use:            "Show the state of your session. Returns its goal, atlases, contexts, reported actions and pending approvals.",
		Permission:     Read,
		Scope:          Filtered,
		OthersSessions: Query,
		CLI:            CommandLine{Command: "session current SESSION_ID", Names: "session"},
		REST:           "GET /v1/session/current",
	}, func(ctx context.Context, app *App, in sessions.Caller) (sessions.SessionState, error) {
		return app.Sessions.Current(ctx, in)
	}),
	define(Operation{
		Name:           "cra_get_chain",
		Title:          "Session chain",
		Toolset:        "trace",
		Use:            "Verify the hash chain of your session. Returns its number of events, its first and its last hash.",
		Permission:     Read,
		Scope:          AllProjects,
		OthersSessions: Query,
		CLI:            CommandLine{Command: "session chain SESSION_ID", Names: "session"},
		REST:           "GET /v1/session/chain",
	}, func(ctx context.Context, app *App, in sessions.Caller) (sessions.Chain, error) {
		return app.Sessions.Chain(ctx, in)
	}),
	define(Operation{
		Name:       "cra_request_context",
		Title:      "Request contexts",
		Use:        "Request contexts for your current work. Be specific about what information would help.",
		Permission: Decide,
		Scope:      Filtered,
		CLI:        CommandLine{Command: "session context NEED"},
		REST:       "POST /v1/context/request",
	}, func(ctx context.Context, app *App, in sessions.Request) (sessions.Given, error) {
		return app.Sessions.Request(ctx, in)
	}),
	define(Operation{
		Name:       "cra_search_contexts",
		Title:      "Search contexts",
		Use:        "Search the contexts of all atlases, without a session. Searches contents and keywords.",
		Permission: Read,
		Scope:      Filtered,
		CLI:        CommandLine{Command: "atlas search QUERY"},
		REST:       "GET /v1/contexts",
	}, func(ctx context.Context, app *App, in sessions.SearchQuery) (sessions.ContextsFound, error) {
		return app.Sessions.SearchContexts(ctx, in)
	}),
	define(Operation{
		Name:       "cra_feedback",
		Title:      "Rate a context",
		Use:        "Rate whether a context helped, and why. Ratings change the ranking. The maintainer of the atlas sees them.",
		Permission: Decide,
		Scope:      Filtered,
		CLI:        CommandLine{Command: "session feedback CONTEXT_ID HELPFUL"},
		REST:       "POST /v1/feedback",
	}, func(ctx context.Context, app *App, in sessions.Feedback) (sessions.StoredFeedback, error) {
		return app.Sessions.GiveFeedback(ctx, in)
	}),
	define(Operation{
		Name:       "get_context_feedback",
		Title:      "Context feedback",
		Toolset:    "manage",
		Use:        "Show how often contexts were given and rated helpful. Returns the needs they were given for, and reasons why they did not help.",
		Permission: Query,
		CLI:        CommandLine{Command: "atlas feedback CONTEXT_ID"},
		REST:       "GET /v1/contexts/feedback",
	}, func(ctx context.Context, app *App, in sessions.FeedbackQuery) (sessions.FeedbackList, error) {
		return app.Sessions.FeedbackOn(ctx, in)
	}),
	define(Operation{
		Name:       "suggest_atlas_changes",
		Title:      "Atlas suggestions",
		Toolset:    "manage",
		Use:        "Suggest atlas changes from requests and feedback. Lists contexts to rewrite, keywords to add, unmet needs, unused contexts.",
		Permission: Query,
		CLI:        CommandLine{Command: "atlas suggest ATLAS_ID", Names: "atlas"},
		REST:       "GET /v1/atlases/suggestions",
	}, func(ctx context.Context, app *App, in sessions.SuggestQuery) (sessions.Suggestions, error) {
		return app.Sessions.Suggest(ctx, in)
	}),
	define(Operation{
		Name:       "get_context_usage",
		Title:      "Context usage",
		Toolset:    "manage",
		Use:        "Show context usage by agent, session or token. Counts requested, received and rated contexts.",
		Permission: Query,
		CLI:        CommandLine{Command: "atlas usage BY"},
		REST:       "GET /v1/contexts/usage",
	}, func(ctx context.Context, app *App, in sessions.UsageQuery) (sessions.Usage, error) {
		return app.Sessions.Usage(ctx, in)
	}),
	define(Operation{
		Name:           "cra_get_trace",
		Title:          "Session trail",
		Toolset:        "trace",
		Use:            "Show the events of your session in order. Also verifies its hash chain.",
		Permission:     Read,
		Scope:          AllProjects,
		OthersSessions: Query,
		CLI: CommandLine{Command: "session trail SESSION_ID", Names: "session",
			Flags: map[string]string{"format": "form"}},
		REST: "GET /v1/session/trace",
	}, func(ctx context.Context, app *App, in sessions.TraceQuery) (sessions.Trail, error) {
		return app.Sessions.Trace(ctx, in)
	}),
	define(Operation{
		Name:       "cra_end_session",
		Title:      "End a governed session",
		Use:        "End the session. Returns its duration and number of events, and verifies its hash chain.",
		Permission: Decide,
		Ours:       "an id and hashes",
		Scope:      AllProjects,
		CLI:        CommandLine{Command: "session end SESSION_ID", Names: "session"},
		REST:       "POST /v1/session/end",
	}, func(ctx context.Context, app *App, in sessions.End) (sessions.Ended, error) {
		return app.Sessions.End(ctx, in)
	}),
)
