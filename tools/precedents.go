package tools

import (
	"context"

	"nomograph/decisions/precedents"
	"nomograph/search"
)

var precedentOperations = inToolset("manage",
	define(Operation{
		Name:       "query_decisions",
		Title:      "Precedents",
		Toolset:    "decisions",
		Use:        "Find earlier decisions by meaning and words. Call before you decide. Returns outcomes, lessons and links.",
		Permission: Read,
		Scope:      Filtered,
		Hints:      readOnly,
		Command:    "decision query QUERY",
		CLI: CommandLine{Open: []string{"filters"},
			Flags: map[string]string{"filters_agent_id": "by"}},
		REST: "POST /v1/decisions/search",
		CSTP: "cstp.queryDecisions",
	}, method((*precedents.Store).Query)),
	define(Operation{
		Name:       "get_index_status",
		Title:      "Search index",
		Use:        "Show the vector index. Returns its model, and the decisions with and without vectors.",
		Permission: Read,
		Ours:       "counts and names of models",
		Command:    "index status",
		REST:       "GET /v1/index",
	}, func(ctx context.Context, app *App, _ struct{}) (search.Status, error) {
		status, err := app.Search.Status(ctx)
		if err != nil {
			return status, err
		}
		chunks, err := app.Chunks.Status(ctx)
		status.Chunks, status.ChunksPending = chunks.Decisions, chunks.Pending
		return status, err
	}),
	define(Operation{
		Name:       "rebuild_index",
		Title:      "Rebuild the search index",
		Use:        "Create missing or outdated vectors. With `all`, recreates every vector. Resumes where it was interrupted.",
		Kind:       Job,
		Permission: Admin,
		Ours:       "counts and the name of a model",
		Hints:      repeatable,
		Command:    "index rebuild",
		REST:       "POST /v1/index/rebuild",
		CSTP:       "cstp.reindex",
	}, func(ctx context.Context, app *App, in search.RebuildRequest) (search.Rebuilt, error) {
		rebuilt, err := app.Search.Rebuild(ctx, in)
		if err != nil {
			return rebuilt, err
		}
		chunks, err := app.Chunks.Rebuild(ctx, in)
		rebuilt.Chunks = chunks.Rebuilt
		return rebuilt, err
	}),
)
