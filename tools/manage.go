package tools

import (
	"cmp"
	"context"

	"nomograph/internal/apperr"
	"nomograph/policies"
	"nomograph/policies/change"
	"nomograph/policies/cstp"
	"nomograph/policies/live"
	"nomograph/policies/pack"
)

// confirmation is what a person is asked before an unusual change.
type confirmation struct {
	Confirm bool `json:"confirm" jsonschema:"true to change it all the same, false to leave it"`
}

var manageOperations = []Operation{
	define(Operation{
		Name:       "set_threshold",
		Title:      "Set a threshold",
		Toolset:    "manage",
		Use:        "Change a threshold's value for everyone who reads it, within its bounds. Who, when and why are kept.",
		Permission: Govern,
		Hints:      Hints{Destructive: true, Idempotent: true},
		CLI:        CommandLine{Command: "threshold set", Args: []string{"name", "value"}, Names: "threshold", Flags: map[string]string{"confirm": "yes"}},
		REST:       "PUT /v1/thresholds/{name}",
	}, func(ctx context.Context, env *Env, in change.ThresholdChange) (change.ThresholdChanged, error) {
		in.By = callerName(ctx)
		changed, err := env.Change.SetThreshold(ctx, in)
		if err == nil || apperr.From(err).Details[change.UnusualChange] == nil {
			return changed, err
		}
		said, asked, unanswered := ask[confirmation](ctx, "", apperr.From(err).Message)
		if !asked || unanswered != nil || !said.Confirm {
			return changed, cmp.Or(unanswered, err)
		}
		in.Confirm = true
		return env.Change.SetThreshold(ctx, in)
	}),
	define(Operation{
		Name:       "create_threshold",
		Title:      "Create a threshold",
		Toolset:    "manage",
		Use:        "Make a new threshold, with bounds that later changes keep. Who, when and why are kept.",
		Permission: Govern,
		Hints:      Hints{},
		CLI:        CommandLine{Command: "threshold create", Args: []string{"name", "value"}},
		REST:       "POST /v1/thresholds",
	}, func(ctx context.Context, env *Env, in change.ThresholdCreation) (policies.Node, error) {
		in.By = callerName(ctx)
		return env.Change.CreateThreshold(ctx, in)
	}),
	define(Operation{
		Name:       "delete_threshold",
		Title:      "Delete a threshold",
		Toolset:    "manage",
		Use:        "Delete a threshold. What a pack owns, or rules read, stays unless forced. Who, when and why are kept, and revert brings it back.",
		Permission: Govern,
		Hints:      Hints{Destructive: true},
		CLI:        CommandLine{Command: "threshold delete", Args: []string{"name"}, Names: "threshold"},
		REST:       "DELETE /v1/thresholds/{name}",
	}, func(ctx context.Context, env *Env, in change.ThresholdDeletion) (change.ThresholdDeleted, error) {
		in.By = callerName(ctx)
		return env.Change.DeleteThreshold(ctx, in)
	}),
	define(Operation{
		Name:       "disable_policy",
		Title:      "Disable a policy",
		Toolset:    "manage",
		Use:        "Make a policy not count any more: active becomes false. Who, when and why are kept, and it can be taken back.",
		Permission: Govern,
		Hints:      Hints{Destructive: true, Idempotent: true},
		CLI:        CommandLine{Command: "policy disable", Args: []string{"name"}, Names: "policy"},
		REST:       "POST /v1/policies/{name}/disable",
	}, func(ctx context.Context, env *Env, in change.PolicySwitch) (change.PolicyChanged, error) {
		in.By = callerName(ctx)
		return env.Change.SwitchPolicy(ctx, in, false)
	}),
	define(Operation{
		Name:       "enable_policy",
		Title:      "Enable a policy",
		Toolset:    "manage",
		Use:        "Make a policy count: active becomes true. Who, when and why are kept, and it can be taken back.",
		Permission: Govern,
		Hints:      Hints{Destructive: true, Idempotent: true},
		CLI:        CommandLine{Command: "policy enable", Args: []string{"name"}, Names: "policy"},
		REST:       "POST /v1/policies/{name}/enable",
	}, func(ctx context.Context, env *Env, in change.PolicySwitch) (change.PolicyChanged, error) {
		in.By = callerName(ctx)
		return env.Change.SwitchPolicy(ctx, in, true)
	}),
	define(Operation{
		Name:       "set_policy_mode",
		Title:      "Set a policy's mode",
		Toolset:    "manage",
		Use:        "Put a rule on trial (shadow), in force (enforce) or off. Who, when and why are kept, and it can be taken back.",
		Permission: Govern,
		Hints:      Hints{Destructive: true, Idempotent: true},
		CLI:        CommandLine{Command: "policy mode", Args: []string{"name", "mode"}, Names: "policy"},
		REST:       "PUT /v1/policies/{name}/mode",
	}, func(ctx context.Context, env *Env, in change.PolicyModeChange) (change.PolicyChanged, error) {
		in.By = callerName(ctx)
		return env.Change.SetPolicyMode(ctx, in)
	}),
	define(Operation{
		Name:       "apply_packs",
		Title:      "Apply packs",
		Toolset:    "manage",
		Use:        "Bring packs of policies and thresholds into the graph, all or none. What people changed in the graph is kept and shown.",
		Permission: Govern,
		Hints:      Hints{Destructive: true, Idempotent: true},
		CLI:        CommandLine{Command: "policy apply", Documents: "packs", Print: "summary"},
		REST:       "POST /v1/packs",
	}, func(ctx context.Context, env *Env, in change.ApplyRequest) (change.ApplyResult, error) {
		in.By = callerName(ctx)
		return env.Change.Apply(ctx, in)
	}),
	define(Operation{
		Name:       "export_thresholds",
		Title:      "Thresholds for a shell",
		Toolset:    "manage",
		Use:        "Thresholds as variables of a shell, a .env file or a GitHub workflow: read CLAIM_PROMOTION_CONFIDENCE instead of a literal.",
		Permission: Read,
		Scope:      Everybody,
		Hints:      readOnly,
		CLI:        CommandLine{Command: "env", Args: []string{"names"}, Names: "threshold", Flags: tableFlag, Document: "script"},
		REST:       "GET /v1/thresholds.env",
	}, func(ctx context.Context, env *Env, in live.ExportQuery) (live.Export, error) {
		return env.Live.ExportThresholds(ctx, in)
	}),
	define(Operation{
		Name:       "export_pack",
		Title:      "Pack as YAML",
		Toolset:    "manage",
		Use:        "Write a pack as YAML with the values and links that the graph holds now, to take what people changed back into git.",
		Permission: Read,
		Scope:      Filtered,
		Hints:      readOnly,
		CLI:        CommandLine{Command: "policy export", Args: []string{"name"}, Names: "pack", Document: "text"},
		REST:       "GET /v1/packs/{name}",
	}, func(ctx context.Context, env *Env, in pack.Query) (pack.Text, error) {
		return env.Pack.Export(ctx, in)
	}),
	define(Operation{
		Name:       "import_guardrails",
		Title:      "Import guardrails",
		Toolset:    "manage",
		Use:        "Make a pack of CSTP guardrail files. Nothing is applied; notes say what was left out and what to look at.",
		Permission: Govern,
		Hints:      readOnly,
		CLI:        CommandLine{Command: "policy import", Documents: "files", Document: "text"},
		REST:       "POST /v1/guardrails/import",
	}, func(ctx context.Context, _ *Env, in cstp.GuardrailFiles) (cstp.ImportedPack, error) {
		return cstp.Import(ctx, in.Files, in.As)
	}),
}
