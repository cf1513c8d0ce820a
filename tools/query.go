package tools

import "nomograph/graph"

var queryOperations = inToolset("query",
	define(Operation{
		Name:       "run_cypher_readonly",
		Title:      "Run Cypher",
		Use:        "Run a Cypher query that only reads (MATCH ... RETURN). CALL db.schema.visualization() shows the schema.",
		Permission: Query,
		Hints:      readOnly,
		Command:    "cypher QUERY",
		CLI: CommandLine{Stdin: "query",
			Flags: map[string]string{"timeout_seconds": "timeout"}},
		REST: "POST /v1/cypher",
	}, method((*graph.DB).RunReadOnly)),
	define(Operation{
		Name:       "get_schema",
		Title:      "Graph schema",
		Toolset:    "explore",
		Use:        "Describe the graph: labels, relationship types and indexes. Includes the properties and counts of labels.",
		Permission: Query,
		Command:    "schema LABELS",
		REST:       "GET /v1/schema",
	}, method((*graph.DB).Schema)),
)
