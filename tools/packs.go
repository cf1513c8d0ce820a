package tools

import (
	"context"

	"nomograph/policies/cases"
	"nomograph/policies/change"
	"nomograph/policies/pack"
)

// packDifference selects packs whose changes are shown.
type packDifference struct {
	Packs     []pack.Source `json:"packs" rule:"minItems=1,maxItems=50"`
	Adopt     bool          `json:"adopt,omitempty" jsonschema:"assume ownership of nodes that the pack does not own"`
	Overwrite bool          `json:"overwrite,omitempty" jsonschema:"assume that manual edits are reset"`
	Prune     bool          `json:"prune,omitempty" jsonschema:"assume that nodes missing from the pack are removed"`
}

var packOperations = inToolset("manage",
	define(Operation{
		Name:       "validate_packs",
		Title:      "Validate packs",
		Use:        "Validate packs and compile their rules. Lists every problem with file, line and column. Needs no database.",
		Permission: Govern,
		Hints:      readOnly,
		Command:    "policy validate",
		CLI:        CommandLine{Documents: "packs", Print: "summary"},
		REST:       "POST /v1/packs/validate",
	}, func(ctx context.Context, _ *App, in pack.ValidateRequest) (pack.Validation, error) {
		return pack.Validate(ctx, in)
	}),
	define(Operation{
		Name:       "test_packs",
		Title:      "Test packs",
		Use:        "Run the test cases of packs. Returns coverage of rules and rows, and a JUnit report. Cases with a graph use a scratch engine, never your database.",
		Permission: Govern,
		Hints:      readOnly,
		Command:    "policy test",
		CLI: CommandLine{Documents: "packs", DocumentFlags: []string{"with"},
			Print: "summary"},
		REST: "POST /v1/packs/test",
	}, func(ctx context.Context, app *App, in cases.Request) (cases.Report, error) {
		in.Effects = app.Checks.Settings.Effects
		return cases.Run(ctx, in, app.Scratch)
	}),
	// The permission to write is needed because the packs are applied in a transaction that is rolled back.
	define(Operation{
		Name:       "diff_packs",
		Title:      "Preview pack changes",
		Use:        "Show what applying packs would change. Nothing is stored.",
		Permission: Govern,
		Hints:      repeatable,
		Command:    "policy diff",
		CLI:        CommandLine{Documents: "packs", Print: "summary"},
		REST:       "POST /v1/packs/diff",
	}, func(ctx context.Context, app *App, in packDifference) (change.ApplyResult, error) {
		return app.Change.Apply(ctx, change.ApplyRequest{Packs: in.Packs, By: callerName(ctx),
			ApplyOptions: change.ApplyOptions{Adopt: in.Adopt, Overwrite: in.Overwrite, Prune: in.Prune, DryRun: true}})
	}),
	define(Operation{
		Name:       "list_packs",
		Title:      "Packs",
		Use:        "List applied packs with version and drift. Each has the time and author of its application, its nodes, and the nodes edited since.",
		Permission: Read,
		Scope:      Filtered,
		Command:    "pack list",
		CLI:        CommandLine{Print: "summary"},
		REST:       "GET /v1/packs",
	}, method((*change.Store).Packs)),
	define(Operation{
		Name:       "revert_pack",
		Title:      "Revert a pack",
		Use:        "Revert a pack to an earlier state. Give a time or revision. Edits are reset, added nodes removed. The revert is a new change.",
		Permission: Govern,
		Rules:      true,
		Hints:      replacing,
		Command:    "policy revert NAME",
		Names:      "pack",
		CLI:        CommandLine{Print: "summary"},
		REST:       "POST /v1/packs/{name}/revert",
	}, method((*change.Store).RevertPack)),
	define(Operation{
		Name:       "remove_pack",
		Title:      "Remove a pack",
		Use:        "Remove a pack and all nodes it owns in one transaction. If nodes were edited since, or others link to them, nothing is removed without `force`.",
		Permission: Govern,
		Rules:      true,
		Hints:      destructive,
		Command:    "pack remove NAME",
		Names:      "pack",
		CLI:        CommandLine{Print: "summary"},
		REST:       "DELETE /v1/packs/{name}",
	}, method((*change.Store).RemovePack)),
)
