package tools

import (
	"context"

	"nomograph/policies/lab"
)

var labOperations = []Operation{
	define(Operation{
		Name:       "replay_policies",
		Title:      "Policy replay",
		Toolset:    "lab",
		Use:        "Replay recorded actions with changed rules: which flip, and how they turned out. Use before changing a policy or threshold. For one verdict: explain_verdict. Nothing is stored.",
		Kind:       Job,
		Permission: Read,
		Scope:      Filtered,
		Hints:      readOnly,
		CLI: CommandLine{Command: "policy replay", Documents: "packs", Print: "summary",
			Flags: map[string]string{"agent_id": "by", "date_after": "since", "date_before": "until"}},
		REST: "POST /v1/policies/replay",
	}, func(ctx context.Context, app *App, in lab.Request) (lab.Replay, error) {
		return app.Lab.Replay(ctx, in)
	}),
}
