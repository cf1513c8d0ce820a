package tools

import (
	"context"

	"nomograph/memory/recall"
)

var recallOperations = inToolset("memory",
	define(Operation{
		Name:       "recall",
		Title:      "Recall",
		Use:        "Recall what was said, done or decided before. Returns events with the steps that led to them. For quick facts and recent context.",
		Permission: Read,
		Scope:      Filtered,
		Hints:      readOnly,
		Prose:      ProseAnswers,
		Command:    "memory recall QUERY",
		CLI:        CommandLine{Flags: memoryFlags},
		REST:       "POST /v1/memory/recall",
	}, upToDate((*recall.Store).Recall)),
	define(Operation{
		Name:       "explain",
		Title:      "Explain",
		Use:        "Explain the history behind a topic, over all sessions. Returns context in the order in which it happened.",
		Permission: Read,
		Scope:      Filtered,
		Hints:      readOnly,
		Prose:      ProseAnswers,
		Command:    "memory explain TOPIC",
		CLI:        CommandLine{Flags: memoryFlags},
		REST:       "POST /v1/memory/explain",
	}, upToDate((*recall.Store).Explain)),
	define(Operation{
		Name:       "predict",
		Title:      "Predict",
		Use:        "Predict which context may become relevant. Returns what followed similar situations. Use it proactively.",
		Permission: Read,
		Scope:      Filtered,
		Hints:      readOnly,
		Prose:      ProseAnswers,
		Command:    "memory predict CONTEXT",
		CLI:        CommandLine{Flags: memoryFlags},
		REST:       "POST /v1/memory/predict",
	}, upToDate((*recall.Store).Predict)),
	define(Operation{
		Name:       "search",
		Title:      "Search memory",
		Toolset:    "memories",
		Use:        "Search memory by words and meaning. Returns the best matches with their relevance, without linked context.",
		Permission: Read,
		Scope:      Filtered,
		Hints:      readOnly,
		Prose:      ProseAnswers,
		Command:    "memory search QUERY",
		CLI:        CommandLine{Flags: memoryFlags},
		REST:       "POST /v1/memory/search",
	}, upToDate((*recall.Store).Search)),
	define(Operation{
		Name:       "list-projects",
		Title:      "Projects in memory",
		Use:        "List the projects in memory with chunk counts and dates. Their names filter other operations.",
		Permission: Read,
		Scope:      Filtered,
		Prose:      ProseAnswers,
		Command:    "memory projects",
		REST:       "GET /v1/memory/projects",
	}, func(ctx context.Context, app *App, _ struct{}) (recall.ProjectList, error) {
		app.UpdateMemory(ctx)
		return app.Recall.Projects(ctx)
	}),
	define(Operation{
		Name:       "list-sessions",
		Title:      "Sessions in memory",
		Use:        "List a project's sessions in memory. Returns times, chunks and tokens, to choose one to reconstruct.",
		Permission: Read,
		Scope:      Filtered,
		Prose:      ProseAnswers,
		Command:    "memory sessions PROJECT",
		REST:       "GET /v1/memory/sessions",
	}, upToDate((*recall.Store).Sessions)),
	define(Operation{
		Name:       "reconstruct",
		Title:      "Reconstruct a session",
		Use:        "Rebuild a session or a period from memory, in order. For questions such as: what did I do yesterday, what was the last session, where was I before a compaction.",
		Permission: Read,
		Scope:      Filtered,
		Hints:      readOnly,
		Prose:      ProseThroughout,
		Command:    "memory reconstruct PROJECT",
		CLI:        CommandLine{Flags: map[string]string{"agent": "by"}},
		REST:       "POST /v1/memory/reconstruct",
	}, upToDate((*recall.Store).Reconstruct)),
)

// upToDate is the method of an operation that reads memory, which is updated before.
func upToDate[In, Out any](run func(*recall.Store, context.Context, In) (Out, error)) function[In, Out] {
	return func(ctx context.Context, app *App, in In) (Out, error) {
		app.UpdateMemory(ctx)
		return run(app.Recall, ctx, in)
	}
}

// memoryFlags renames the agent filter, because the global flag --agent names the caller.
var memoryFlags = map[string]string{"agent": "by"}
