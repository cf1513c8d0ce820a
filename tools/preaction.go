package tools

import (
	"context"

	"nomograph/decisions/preparation"
)

var preActionOperations = []Operation{
	define(Operation{
		Name:       "pre_action",
		Title:      "Before you act",
		Toolset:    "decisions",
		Use:        "Call before every significant decision. Checks policies, finds precedents with outcomes and, if allowed, records the decision.",
		Permission: Decide,
		Scope:      OfProject,
		Core:       true,
		CLI: CommandLine{Command: "decision prepare", Args: []string{"description"}, Open: []string{"action", "options"},
			Flags: map[string]string{"action_context": "facts", "query_limit": "precedents", "agent_id": "agent", "session_id": "session", "reasons": "reason"}},
		REST: "POST /v1/decisions/prepare",
		CSTP: "cstp.preAction",
		Gate: true,
	}, func(ctx context.Context, app *App, in preparation.PreActionRequest) (preparation.PreActionResult, error) {
		in.By = callerName(ctx)
		return app.Preparation.PreAction(ctx, in)
	}),
}
