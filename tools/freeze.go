package tools

import (
	"context"

	"nomograph/policies/change"
)

var freezeOperations = inToolset("manage",
	define(Operation{
		Name:       "freeze_agent",
		Title:      "Freeze an agent",
		Use:        "Deny every action of an agent, at once. It holds on all servers, for subagents and under other names, until someone unfreezes the agent or `until` has passed. The author, the time and the reason are stored.",
		Permission: Govern,
		Rules:      true,
		Hints:      replacing,
		Command:    "agent freeze NAME",
		REST:       "POST /v1/agents/{name}/freeze",
	}, func(ctx context.Context, app *App, in change.Freeze) (change.Frozen, error) {
		return app.Change.Freeze(ctx, change.AgentSubject, in)
	}),
	define(Operation{
		Name:       "freeze_session",
		Title:      "Freeze a session",
		Use:        "Deny every action of a session, at once. It holds on all servers until someone unfreezes the session or `until` has passed. The author, the time and the reason are stored.",
		Permission: Govern,
		Rules:      true,
		Hints:      replacing,
		Command:    "session freeze NAME",
		Names:      "session",
		REST:       "POST /v1/sessions/{name}/freeze",
	}, func(ctx context.Context, app *App, in change.Freeze) (change.Frozen, error) {
		return app.Change.Freeze(ctx, change.SessionSubject, in)
	}),
	define(Operation{
		Name:       "unfreeze_agent",
		Title:      "Unfreeze an agent",
		Use:        "End the freeze of an agent. An agent cannot unfreeze itself. The author, the time and the reason are stored.",
		Permission: Govern,
		Rules:      true,
		Hints:      destructive,
		Command:    "agent unfreeze NAME",
		REST:       "POST /v1/agents/{name}/unfreeze",
	}, func(ctx context.Context, app *App, in change.Unfreeze) (change.Frozen, error) {
		return app.Change.Unfreeze(ctx, change.AgentSubject, in)
	}),
	define(Operation{
		Name:       "unfreeze_session",
		Title:      "Unfreeze a session",
		Use:        "End the freeze of a session. The author, the time and the reason are stored.",
		Permission: Govern,
		Rules:      true,
		Hints:      destructive,
		Command:    "session unfreeze NAME",
		Names:      "session",
		REST:       "POST /v1/sessions/{name}/unfreeze",
	}, func(ctx context.Context, app *App, in change.Unfreeze) (change.Frozen, error) {
		return app.Change.Unfreeze(ctx, change.SessionSubject, in)
	}),
)
