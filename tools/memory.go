package tools

import (
	"cmp"
	"context"
	"fmt"

	"nomograph/internal/apperr"
	"nomograph/internal/caller"
	"nomograph/memory"
	"nomograph/memory/conversations"
	"nomograph/policies/check"
)

// sessionsInput selects conversations and configures their import.
type sessionsInput struct {
	Path    string `json:"path" jsonschema:"file or directory on the machine that runs Nomograph" rule:"minLength=1,maxLength=4000"`
	Project string `json:"project,omitempty" jsonschema:"project of conversations without one" rule:"maxLength=200"`
	Agent   string `json:"agent,omitempty" jsonschema:"agent of conversations without one" rule:"maxLength=200"`
	Watch   bool   `json:"watch,omitempty" jsonschema:"keep importing new messages until stopped; command line only"`
	DryRun  bool   `json:"dry_run,omitempty" jsonschema:"show the effect and change nothing"`
}

var memoryOperations = inToolset("memories",
	define(Operation{
		Name:       "import_sessions",
		Title:      "Import conversations",
		Use:        "Import conversations into memory. Reads sessions of Claude Code, Codex, Gemini CLI and Copilot CLI, Cursor transcripts, exports of Goose, OpenCode and ChatGPT, Markdown and JSON lines. Repeating an import adds only what is new.",
		Kind:       Job,
		Permission: Admin,
		Hints:      repeatable,
		Command:    "import sessions PATH",
		CLI:        CommandLine{Flags: map[string]string{"agent": "by"}},
		REST:       "POST /v1/imports/sessions",
	}, func(ctx context.Context, app *App, in sessionsInput) (conversations.Imported, error) {
		o := conversations.Options{Project: in.Project, Agent: in.Agent, DryRun: in.DryRun}
		if !in.Watch {
			x := executions{app: app, ctx: ctx, open: map[string]check.Execution{}, by: callerName(ctx)}
			o.Called = x.called
			out, err := app.Conversations.Import(ctx, in.Path, o)
			if err != nil {
				return out, err
			}
			if x.flush(); x.counted.Received > 0 {
				out.Notes = append(out.Notes, fmt.Sprintf("Executed tool calls: %d, new: %d, with a verdict: %d",
					x.counted.Received, x.counted.Recorded, x.counted.Matched))
			}
			return out, x.err
		}
		if caller.From(ctx).Transport != caller.CommandLine {
			return conversations.Imported{}, apperr.New(apperr.Validation, "`watch` works only on the command line").
				WithHint("Set memory.folders to let a server watch folders")
		}
		return app.Conversations.Watch(ctx, in.Path, o, nil)
	}),
	define(Operation{
		Name:       "remember",
		Title:      "Remember a fact",
		Toolset:    "memory",
		Use:        "Store a note or a fact with its period of validity. Call when something holds from now on, such as a changed setting. Supersedes earlier facts of the same subject; `recall` and `explain` show which fact is in force.",
		Permission: Decide,
		Scope:      OfProject,
		Command:    "memory remember TEXT",
		CLI:        CommandLine{Stdin: "text"},
		REST:       "POST /v1/memory/facts",
	}, func(ctx context.Context, app *App, in memory.RememberRequest) (memory.RememberResult, error) {
		in.Project = cmp.Or(in.Project, app.Decisions.Settings.Project, app.Trace.Project)
		return app.Memory.Remember(ctx, in)
	}),
	define(Operation{
		Name:       "forget",
		Title:      "Forget",
		Use:        "Erase memory by project, session, time or words. Text and vectors are deleted; a tombstone with the hash stays. Dry run by default. For more than ten chunks, pass their number as `confirm`.",
		Kind:       Job,
		Permission: Admin,
		Hints:      replacing,
		Command:    "memory forget IDS",
		CLI:        CommandLine{Flags: map[string]string{"after": "since", "before": "until"}},
		REST:       "POST /v1/memory/forget",
	}, method((*memory.Store).Forget)),
	define(Operation{
		Name:       "stats",
		Title:      "Memory size",
		Use:        "Show the size of memory. Counts projects, chunks, tokens, imported sources and pending chunks.",
		Permission: Read,
		Command:    "memory stats",
		REST:       "GET /v1/memory",
	}, func(ctx context.Context, app *App, _ struct{}) (memory.Stats, error) {
		return app.Memory.Stats(ctx)
	}),
)
