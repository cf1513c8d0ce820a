package tools

import (
	"context"

	"nomograph/policies"
)

var manageOperations = []Operation{
	define(Operation{
		Name:       "set_threshold",
		Title:      "Set a threshold",
		Toolset:    "manage",
		Use:        "Change a threshold's value for everyone who reads it. Who, when and why are kept.",
		Permission: Write,
		Hints:      Hints{Destructive: true, Idempotent: true},
		CLI:        CommandLine{Command: "threshold set", Args: []string{"name", "value"}, Names: "threshold"},
		REST:       "PUT /v1/thresholds/{name}",
	}, func(ctx context.Context, env *Env, in policies.ThresholdChange) (policies.ThresholdChanged, error) {
		in.By = caller(ctx)
		return env.Policies.SetThreshold(ctx, in)
	}),
	define(Operation{
		Name:       "apply_packs",
		Title:      "Apply packs",
		Toolset:    "manage",
		Use:        "Bring packs of policies and thresholds into the graph, all or none. What people changed in the graph is kept and shown.",
		Permission: Admin,
		Hints:      Hints{Destructive: true, Idempotent: true},
		CLI:        CommandLine{Command: "policy apply", Documents: "packs", Print: "summary"},
		REST:       "POST /v1/packs",
	}, func(ctx context.Context, env *Env, in policies.ApplyRequest) (policies.ApplyResult, error) {
		in.By = caller(ctx)
		return env.Policies.Apply(ctx, in)
	}),
	define(Operation{
		Name:       "export_thresholds",
		Title:      "Thresholds for a shell",
		Toolset:    "manage",
		Use:        "Thresholds as variables of a shell: eval the script, and read CLAIM_PROMOTION_CONFIDENCE instead of a literal.",
		Permission: Read,
		Hints:      readOnly,
		CLI:        CommandLine{Command: "env", Args: []string{"names"}, Names: "threshold", Flags: tableFlag, Print: "script"},
		REST:       "GET /v1/thresholds.env",
	}, func(ctx context.Context, env *Env, in policies.ExportQuery) (policies.Export, error) {
		return env.Policies.ExportThresholds(ctx, in)
	}),
}
