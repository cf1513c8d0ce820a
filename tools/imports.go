package tools

import (
	"context"
	"fmt"

	"nomograph/decisions/imports"
	"nomograph/decisions/records"
	"nomograph/internal/apperr"
)

// importInput selects records and configures their import.
type importInput struct {
	Path     string   `json:"path" jsonschema:"path on the machine that runs Nomograph" rule:"minLength=1,maxLength=4000"`
	Source   string   `json:"source,omitempty" jsonschema:"name of the source (default from the path); identifies records together with their ids" rule:"maxLength=200"`
	Project  string   `json:"project,omitempty" jsonschema:"project of records without one" rule:"maxLength=200"`
	Outcomes []string `json:"outcomes,omitempty" jsonschema:"outcomes of statuses as STATUS=OUTCOME, for example Implemented=success" rule:"maxItems=50"`
	Strict   bool     `json:"strict,omitempty" jsonschema:"stop at the first unreadable record"`
	DryRun   bool     `json:"dry_run,omitempty" jsonschema:"show the effect and change nothing"`
}

// importing declares the import operation for one format.
func importing(form, title, use, looked string, open func(path, source string) (records.Sequence, error)) Operation {
	return define(Operation{
		Name:       "import_" + form,
		Title:      title,
		Toolset:    "manage",
		Use:        use + " Repeating an import resumes it and updates changed records.",
		Kind:       Job,
		Permission: Admin,
		Hints:      repeatable,
		Command:    "import " + form + " PATH",
		REST:       "POST /v1/imports/" + form,
	}, func(ctx context.Context, app *App, in importInput) (imports.Imported, error) {
		sequence, err := open(in.Path, in.Source)
		if err != nil {
			return imports.Imported{}, err
		}
		out, err := app.Imports.Import(ctx, sequence,
			imports.Options{Project: in.Project, Outcomes: in.Outcomes, Strict: in.Strict, DryRun: in.DryRun})
		if err != nil || !out.Nothing() {
			return out, err
		}
		aside := ""
		for i, p := range out.Skipped[:min(len(out.Skipped), maxAside)] {
			aside += map[bool]string{true: ". Skipped: ", false: "; "}[i == 0] + p.Error()
		}
		if more := out.SkippedCount - maxAside; more > 0 {
			aside += fmt.Sprintf("; and %d more", more)
		}
		return out, apperr.Newf(apperr.NotFound, "No record in %s: looked for %s%s", in.Path, looked, aside).
			WithHint("Name the folder or file with the records; see docs/guides/import.md")
	})
}

const maxAside = 5 // maximum number of problems in the error message

var importOperations = []Operation{
	importing("adr", "Import decision records", "Import architecture decision records in Markdown. Reads a folder or a file.",
		"files that end in .md or .markdown and have a status or a section called Decision, in the folder and those below it", records.OpenADR),
	importing("jsonl", "Import records", "Import decision records from a file of JSON lines. The format is in docs/guides/import.md.",
		"a JSON object on each line", records.OpenJSONL),
	importing("cstp", "Import from CSTP", "Import decisions from a folder of CSTP's YAML files.",
		"files that end in .yaml or .yml, in the folder and those below it", records.OpenCSTP),
}
