package tools

import (
	"context"

	"nomograph/sessions"
)

// sessionInProjectFlags renames the flags of session operations that take a project.
var sessionInProjectFlags = map[string]string{"agent_id": "agent", "session_id": "session"}

var (
	craOperations = []Operation{
		define(Operation{
			Name:       "cra_start_session",
			Title:      "Start a governed session",
			Toolset:    "cra",
			Use:        "Start a governed session: call this first. Gives the contexts that hold always and those that fit the goal.",
			Permission: Decide,
			Scope:      Filtered,
			Hints:      Hints{},
			CLI:        CommandLine{Command: "session start", Args: []string{"goal"}, Flags: sessionFlags},
			REST:       "POST /v1/session/start",
		}, func(ctx context.Context, app *App, in sessions.Start) (sessions.Started, error) {
			in.By = callerName(ctx)
			return app.Sessions.Start(ctx, in)
		}),
		define(Operation{
			Name:       "cra_bootstrap",
			Title:      "Begin under governance",
			Toolset:    "trace",
			Use:        "Start a governed session and hear how what you can do is governed: the rules on each of your actions, and the contexts to begin with.",
			Permission: Decide,
			Scope:      OfProject,
			Hints:      Hints{},
			CLI:        CommandLine{Command: "session bootstrap", Args: []string{"intent", "capabilities"}, Flags: sessionInProjectFlags},
			REST:       "POST /v1/session/bootstrap",
		}, func(ctx context.Context, app *App, in sessions.Bootstrap) (sessions.Bootstrapped, error) {
			in.By, in.AsksUser = callerName(ctx), mayAskUser(ctx, app)
			return app.Sessions.Bootstrap(ctx, in)
		}),
		define(Operation{
			Name:           "cra_get_session",
			Title:          "Where a session stands",
			Toolset:        "trace",
			Use:            "The goal of your session, its atlases, the contexts it was given, how its actions were answered, and what waits for a person.",
			Permission:     Read,
			Scope:          Filtered,
			OthersSessions: Query,
			Hints:          readOnly,
			CLI:            CommandLine{Command: "session current", Args: []string{"session_id"}, Names: "session", Flags: map[string]string{"agent_id": "agent"}},
			REST:           "GET /v1/session/current",
		}, func(ctx context.Context, app *App, in sessions.Caller) (sessions.SessionState, error) {
			in.By = callerName(ctx)
			return app.Sessions.Current(ctx, in)
		}),
		define(Operation{
			Name:           "cra_get_chain",
			Title:          "Does the chain hold?",
			Toolset:        "trace",
			Use:            "Whether the chain of hashes of a session of yours holds: how many events it has, its first and its last hash.",
			Permission:     Read,
			Scope:          Everybody,
			OthersSessions: Query,
			Hints:          readOnly,
			CLI:            CommandLine{Command: "session chain", Args: []string{"session_id"}, Names: "session", Flags: map[string]string{"agent_id": "agent"}},
			REST:           "GET /v1/session/chain",
		}, func(ctx context.Context, app *App, in sessions.Caller) (sessions.Chain, error) {
			in.By = callerName(ctx)
			return app.Sessions.Chain(ctx, in)
		}),
		define(Operation{
			Name:       "cra_request_context",
			Title:      "Contexts for a need",
			Toolset:    "cra",
			Use:        "Ask for contexts on what you are working on. Be specific about what information would help.",
			Permission: Decide,
			Scope:      Filtered,
			Hints:      Hints{},
			CLI:        CommandLine{Command: "session context", Args: []string{"need"}, Flags: sessionFlags},
			REST:       "POST /v1/context/request",
		}, func(ctx context.Context, app *App, in sessions.Request) (sessions.Given, error) {
			in.By = callerName(ctx)
			return app.Sessions.Request(ctx, in)
		}),
		define(Operation{
			Name:       "cra_search_contexts",
			Title:      "Search contexts",
			Toolset:    "cra",
			Use:        "Search all contexts of all atlases by their contents and keywords, without a session.",
			Permission: Read,
			Scope:      Filtered,
			Hints:      readOnly,
			CLI:        CommandLine{Command: "atlas search", Args: []string{"query"}},
			REST:       "GET /v1/contexts",
		}, func(ctx context.Context, app *App, in sessions.SearchQuery) (sessions.ContextsFound, error) {
			return app.Sessions.SearchContexts(ctx, in)
		}),
		define(Operation{
			Name:       "cra_feedback",
			Title:      "Did a context help?",
			Toolset:    "cra",
			Use:        "Say whether a context helped, and why. It moves the ranking and tells whoever keeps the atlas.",
			Permission: Decide,
			Scope:      Filtered,
			Hints:      Hints{},
			CLI:        CommandLine{Command: "session feedback", Args: []string{"context_id", "helpful"}, Flags: sessionFlags},
			REST:       "POST /v1/feedback",
		}, func(ctx context.Context, app *App, in sessions.Feedback) (sessions.FeedbackKept, error) {
			in.By = callerName(ctx)
			return app.Sessions.GiveFeedback(ctx, in)
		}),
		define(Operation{
			Name:       "get_context_feedback",
			Title:      "What agents said of contexts",
			Toolset:    "manage",
			Use:        "Show how often contexts were given and helped, for which needs, and why not.",
			Permission: Query,
			Hints:      readOnly,
			CLI:        CommandLine{Command: "atlas feedback", Args: []string{"context_id"}},
			REST:       "GET /v1/contexts/feedback",
		}, func(ctx context.Context, app *App, in sessions.FeedbackQuery) (sessions.FeedbackList, error) {
			return app.Sessions.FeedbackOn(ctx, in)
		}),
		define(Operation{
			Name:       "suggest_atlas_changes",
			Title:      "What to change in atlases",
			Toolset:    "manage",
			Use:        "Suggest atlas changes from requests and feedback: contexts to rewrite, keywords to add, unmet needs, unused contexts.",
			Permission: Query,
			Hints:      readOnly,
			CLI:        CommandLine{Command: "atlas suggest", Args: []string{"atlas_id"}, Names: "atlas"},
			REST:       "GET /v1/atlases/suggestions",
		}, func(ctx context.Context, app *App, in sessions.SuggestQuery) (sessions.Suggestions, error) {
			return app.Sessions.Suggest(ctx, in)
		}),
		define(Operation{
			Name:       "get_context_usage",
			Title:      "Who uses contexts",
			Toolset:    "manage",
			Use:        "Show how often each agent, session or token requested contexts, received some and rated them.",
			Permission: Query,
			Hints:      readOnly,
			CLI:        CommandLine{Command: "atlas usage", Args: []string{"by"}},
			REST:       "GET /v1/contexts/usage",
		}, func(ctx context.Context, app *App, in sessions.UsageQuery) (sessions.Usage, error) {
			return app.Sessions.Usage(ctx, in)
		}),
		define(Operation{
			Name:           "cra_get_trace",
			Title:          "The trail of a session",
			Toolset:        "trace",
			Use:            "What happened in a session of yours, in order, and whether its chain of hashes holds.",
			Permission:     Read,
			Scope:          Everybody,
			OthersSessions: Query,
			Hints:          readOnly,
			CLI:            CommandLine{Command: "session trail", Args: []string{"session_id"}, Names: "session", Flags: map[string]string{"agent_id": "agent", "format": "form"}},
			REST:           "GET /v1/session/trace",
		}, func(ctx context.Context, app *App, in sessions.TraceQuery) (sessions.Trail, error) {
			in.By = callerName(ctx)
			return app.Sessions.Trace(ctx, in)
		}),
		define(Operation{
			Name:       "cra_end_session",
			Title:      "End a governed session",
			Toolset:    "cra",
			Use:        "End the session: how long it was, how many events it has, and whether its chain of hashes holds.",
			Permission: Decide,
			Ours:       "an id and hashes",
			Scope:      Everybody,
			Hints:      Hints{},
			CLI:        CommandLine{Command: "session end", Args: []string{"session_id"}, Names: "session", Flags: map[string]string{"agent_id": "agent"}},
			REST:       "POST /v1/session/end",
		}, func(ctx context.Context, app *App, in sessions.End) (sessions.Ended, error) {
			in.By = callerName(ctx)
			return app.Sessions.End(ctx, in)
		}),
	}
)
