package tools

import (
	"cmp"
	"context"

	"nomograph/internal/apperr"
	"nomograph/policies/change"
	"nomograph/policies/cstp"
	"nomograph/policies/instructions"
	"nomograph/policies/live"
	"nomograph/policies/pack"
)

// confirmation is the form for an unusual change.
type confirmation struct {
	Confirm bool `json:"confirm" jsonschema:"true to apply the change"`
}

var changeOperations = inToolset("manage",
	define(Operation{
		Name:       "set_threshold",
		Title:      "Set a threshold",
		Use:        "Change a threshold's value within its bounds. The new value applies to all readers. The author, the time and the reason are stored.",
		Permission: Govern,
		Rules:      true,
		Hints:      replacing,
		Command:    "threshold set NAME VALUE",
		Names:      "threshold",
		CLI:        CommandLine{Flags: map[string]string{"confirm": "yes"}},
		REST:       "PUT /v1/thresholds/{name}",
	}, func(ctx context.Context, app *App, in change.ThresholdChange) (change.ThresholdChanged, error) {
		changed, err := app.Change.SetThreshold(ctx, in)
		if err == nil || apperr.From(err).Details[change.UnusualChange] == nil {
			return changed, err
		}
		reply, asked, unanswered := ask[confirmation](ctx, "", apperr.From(err).Message)
		if !asked || unanswered != nil || !reply.Confirm {
			return changed, cmp.Or(unanswered, err)
		}
		in.Confirm = true
		return app.Change.SetThreshold(ctx, in)
	}),
	define(Operation{
		Name:       "create_threshold",
		Title:      "Create a threshold",
		Use:        "Create a threshold with bounds for later values. The author, the time and the reason are stored.",
		Permission: Govern,
		Rules:      true,
		Command:    "threshold create NAME VALUE",
		CLI:        CommandLine{Flags: map[string]string{"decision_table": "decision-table"}},
		REST:       "POST /v1/thresholds",
	}, method((*change.Store).CreateThreshold)),
	define(Operation{
		Name:       "delete_threshold",
		Title:      "Delete a threshold",
		Use:        "Delete a threshold. A threshold that a pack owns or a rule reads needs `force`. The author, the time and the reason are stored; `revert` restores it.",
		Permission: Govern,
		Rules:      true,
		Hints:      destructive,
		Command:    "threshold delete NAME",
		Names:      "threshold",
		REST:       "DELETE /v1/thresholds/{name}",
	}, method((*change.Store).DeleteThreshold)),
	define(Operation{
		Name:       "delete_policy",
		Title:      "Delete a policy",
		Use:        "Delete a policy. A policy that a pack owns needs `force`. The author, the time and the reason are stored; `revert` restores it.",
		Permission: Govern,
		Rules:      true,
		Hints:      destructive,
		Command:    "policy delete NAME",
		Names:      "policy",
		REST:       "DELETE /v1/policies/{name}",
	}, method((*change.Store).DeletePolicy)),
	define(Operation{
		Name:       "disable_policy",
		Title:      "Disable a policy",
		Use:        "Disable a policy: active becomes false. The author, the time and the reason are stored; `revert` undoes it.",
		Permission: Govern,
		Rules:      true,
		Hints:      replacing,
		Command:    "policy disable NAME",
		Names:      "policy",
		REST:       "POST /v1/policies/{name}/disable",
	}, func(ctx context.Context, app *App, in change.PolicySwitch) (change.PolicyChanged, error) {
		return app.Change.SwitchPolicy(ctx, in, false)
	}),
	define(Operation{
		Name:       "enable_policy",
		Title:      "Enable a policy",
		Use:        "Enable a policy: active becomes true. The author, the time and the reason are stored; `revert` undoes it.",
		Permission: Govern,
		Rules:      true,
		Hints:      replacing,
		Command:    "policy enable NAME",
		Names:      "policy",
		REST:       "POST /v1/policies/{name}/enable",
	}, func(ctx context.Context, app *App, in change.PolicySwitch) (change.PolicyChanged, error) {
		return app.Change.SwitchPolicy(ctx, in, true)
	}),
	define(Operation{
		Name:       "set_policy_mode",
		Title:      "Set a policy's mode",
		Use:        "Set a rule's mode: shadow, enforce or off. The author, the time and the reason are stored; `revert` undoes it.",
		Permission: Govern,
		Rules:      true,
		Hints:      replacing,
		Command:    "policy mode NAME MODE",
		Names:      "policy",
		REST:       "PUT /v1/policies/{name}/mode",
	}, method((*change.Store).SetPolicyMode)),
	define(Operation{
		Name:       "apply_packs",
		Title:      "Apply packs",
		Use:        "Apply packs of policies and thresholds in one transaction. Manual edits in the graph are kept and shown as drift.",
		Permission: Govern,
		Rules:      true,
		Hints:      replacing,
		Command:    "policy apply",
		CLI:        CommandLine{Documents: "packs", Print: "summary"},
		REST:       "POST /v1/packs",
	}, method((*change.Store).Apply)),
	define(Operation{
		Name:       "export_thresholds",
		Title:      "Export thresholds",
		Use:        "Export thresholds as environment variables. Formats: shell, fish, .env file, GitHub workflow.",
		Permission: Read,
		Scope:      AllProjects,
		Command:    "env NAMES",
		Names:      "threshold",
		CLI:        CommandLine{Document: "script"},
		REST:       "GET /v1/thresholds.env",
	}, method((*live.Store).ExportThresholds)),
	define(Operation{
		Name:       "export_pack",
		Title:      "Export a pack",
		Use:        "Export a pack as YAML, for version control. Contains the current values and links of the graph.",
		Permission: Read,
		Scope:      Filtered,
		Command:    "policy export NAME",
		Names:      "pack",
		CLI:        CommandLine{Document: "text"},
		REST:       "GET /v1/packs/{name}",
	}, method((*pack.Store).Export)),
	define(Operation{
		Name:       "import_guardrails",
		Title:      "Import guardrails",
		Use:        "Convert CSTP guardrail files to a pack. Applies nothing; notes list what was left out and what to check.",
		Permission: Govern,
		Hints:      readOnly,
		Command:    "policy import",
		CLI:        CommandLine{Documents: "files", Document: "text"},
		REST:       "POST /v1/guardrails/import",
	}, func(ctx context.Context, _ *App, in cstp.GuardrailFiles) (cstp.ImportedPack, error) {
		return cstp.Import(ctx, in.Files, in.As)
	}),
	define(Operation{
		Name:       "import_rules",
		Title:      "Import instructions for agents as rules",
		Use:        "Convert CLAUDE.md, AGENTS.md and the like to a pack. Its rules are in shadow mode, each with its source and a case; sentences that no rule can enforce are listed with the reason. Applies nothing.",
		Permission: Govern,
		Hints:      readOnly,
		Command:    "policy import-rules",
		CLI:        CommandLine{Documents: "files", Document: "text"},
		REST:       "POST /v1/instructions/import",
	}, func(ctx context.Context, _ *App, in instructions.Files) (instructions.Imported, error) {
		return instructions.Import(ctx, in)
	}),
)
