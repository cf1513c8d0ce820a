package tools

import (
	"context"

	"nomograph/policies/change"
	"nomograph/policies/pack"
	"nomograph/sessions"
	"nomograph/sessions/manifest"
)

// atlasDifference selects atlases whose changes are shown.
type atlasDifference struct {
	Atlases   []pack.Source `json:"atlases" jsonschema:"manifests as JSON or YAML, Markdown files with front matter, or names of shipped atlases" rule:"minItems=1,maxItems=5000"`
	Project   string        `json:"project,omitempty" jsonschema:"project of the loaded atlases" rule:"maxLength=200"`
	Adopt     bool          `json:"adopt,omitempty" jsonschema:"assume ownership of nodes that the atlas does not own"`
	Overwrite bool          `json:"overwrite,omitempty" jsonschema:"assume that manual edits are reset"`
	Prune     bool          `json:"prune,omitempty" jsonschema:"assume that nodes missing from the atlas are removed"`
}

var atlasOperations = inToolset("manage",
	define(Operation{
		Name:       "cra_list_atlases",
		Title:      "Atlases",
		Toolset:    "cra",
		Use:        "List the loaded atlases. Returns their domains, versions and dependencies.",
		Permission: Read,
		Scope:      Filtered,
		Command:    "atlas list",
		REST:       "GET /v1/atlases",
	}, method((*sessions.Store).Atlases)),
	define(Operation{
		Name:       "validate_atlases",
		Title:      "Validate atlases",
		Use:        "Validate atlases and compile their rules. Lists every problem with file, line and column. Needs no database.",
		Permission: Govern,
		Hints:      readOnly,
		Command:    "atlas validate",
		CLI: CommandLine{Documents: "atlases", Extensions: manifest.Extensions,
			Print: "summary"},
		REST: "POST /v1/atlases/validate",
	}, func(ctx context.Context, _ *App, in sessions.ValidateRequest) (sessions.Validation, error) {
		return sessions.Validate(ctx, in)
	}),
	// The permission to write is needed because the atlases are loaded in a transaction that is rolled back.
	define(Operation{
		Name:       "diff_atlases",
		Title:      "Preview atlas changes",
		Use:        "Show what loading atlases would change. Nothing is stored.",
		Permission: Govern,
		Scope:      OfProject,
		Hints:      repeatable,
		Command:    "atlas diff",
		CLI: CommandLine{Documents: "atlases", Extensions: manifest.Extensions,
			Print: "summary"},
		REST: "POST /v1/atlases/diff",
	}, func(ctx context.Context, app *App, in atlasDifference) (sessions.Loaded, error) {
		return app.Sessions.LoadAtlases(ctx, sessions.LoadRequest{Atlases: in.Atlases, Project: in.Project,
			By:           callerName(ctx),
			ApplyOptions: change.ApplyOptions{Adopt: in.Adopt, Overwrite: in.Overwrite, Prune: in.Prune, DryRun: true}})
	}),
	define(Operation{
		Name:       "load_atlases",
		Title:      "Load atlases",
		Use:        "Load atlases of contexts and rules in one transaction. Formats: Atlas/1.0 manifests, or Markdown with front matter.",
		Permission: Govern,
		Rules:      true,
		Scope:      OfProject,
		Hints:      replacing,
		Command:    "atlas load",
		CLI: CommandLine{Documents: "atlases", Extensions: manifest.Extensions,
			Print: "summary"},
		REST: "POST /v1/atlases",
	}, method((*sessions.Store).LoadAtlases)),
	define(Operation{
		Name:       "export_atlas",
		Title:      "Export an atlas",
		Use:        "Export an atlas as a manifest, for version control. Contains the current contents of the graph.",
		Permission: Read,
		Scope:      Filtered,
		Command:    "atlas export ATLAS_ID",
		Names:      "atlas",
		CLI: CommandLine{Document: "text",
			Flags: map[string]string{"format": "as"}},
		REST: "GET /v1/atlases/{atlas_id}",
	}, method((*sessions.Store).Export)),
)
