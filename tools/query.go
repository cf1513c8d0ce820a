package tools

import (
	"context"

	"nomograph/graph"
)

var queryOperations = []Operation{
	define(Operation{
		Name:       "run_cypher_readonly",
		Title:      "Read with Cypher",
		Toolset:    "query",
		Use:        "Run Cypher of your own that only reads (MATCH ... RETURN). Writes, files and the network are refused. CALL db.schema.visualization() shows what there is.",
		Permission: Query,
		Hints:      readOnly,
		CLI:        CommandLine{Command: "cypher", Args: []string{"query"}, Stdin: "query", Flags: map[string]string{"timeout_seconds": "timeout"}},
		REST:       "POST /v1/cypher",
	}, func(ctx context.Context, app *App, in graph.ReadQuery) (graph.QueryResult, error) {
		return app.Graph.RunReadOnly(ctx, in)
	}),
	define(Operation{
		Name:       "get_schema",
		Title:      "Graph schema",
		Toolset:    "explore",
		Use:        "Describe the graph: labels with properties and counts, relationship types between labels, indexes.",
		Permission: Query,
		Hints:      readOnly,
		CLI:        CommandLine{Command: "schema", Args: []string{"labels"}},
		REST:       "GET /v1/schema",
	}, func(ctx context.Context, app *App, in graph.SchemaQuery) (graph.Schema, error) {
		return app.Graph.Schema(ctx, in)
	}),
}
