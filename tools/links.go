package tools

import "nomograph/decisions/links"

// linkFlags are a short flag for the link type.
var linkFlags = map[string]string{"edge_type": "type"}

var linkOperations = inToolset("graph",
	define(Operation{
		Name:       "link_decisions",
		Title:      "Link decisions",
		Use:        "Link two decisions. A repeated link is updated.",
		Permission: Decide,
		Scope:      Filtered,
		Hints:      Hints{Idempotent: true},
		CLI:        CommandLine{Command: "decision link SOURCE_ID TARGET_ID", Flags: linkFlags, Names: "decision"},
		REST:       "POST /v1/links",
		CSTP:       "cstp.linkDecisions",
	}, method((*links.Store).Link)),
	define(Operation{
		Name:       "get_graph",
		Title:      "Graph",
		Use:        "Show the graph around a decision, policy or threshold. For a policy: decisions that violated it. Returns JSON, or a Mermaid, DOT or SVG diagram.",
		Permission: Read,
		Scope:      Filtered,
		CLI:        CommandLine{Command: "decision graph NODE_ID", Document: "diagram", Names: "decision"},
		REST:       "GET /v1/graph/{node_id}",
		CSTP:       "cstp.getGraph",
	}, method((*links.Store).Graph)),
	define(Operation{
		Name:       "get_neighbors",
		Title:      "Neighbors",
		Use:        "List the decisions linked to a decision, strongest first.",
		Permission: Read,
		Scope:      Filtered,
		CLI:        CommandLine{Command: "decision neighbors NODE_ID", Flags: linkFlags, Names: "decision"},
		REST:       "GET /v1/graph/{node_id}/neighbors",
		CSTP:       "cstp.getNeighbors",
	}, method((*links.Store).Neighbors)),
	define(Operation{
		Name:       "find_path",
		Title:      "Path",
		Toolset:    "explore",
		Use:        "Find a shortest path of links between two decisions.",
		Permission: Read,
		Scope:      Filtered,
		CLI:        CommandLine{Command: "decision path FROM TO", Names: "decision"},
		REST:       "GET /v1/graph/path",
	}, method((*links.Store).Path)),
	define(Operation{
		Name:       "get_lineage",
		Title:      "Lineage",
		Toolset:    "explore",
		Use:        "Show which decisions depend on a decision. Follows direct and indirect links, in either direction. With `failed`: all failed decisions with dependents.",
		Permission: Read,
		Scope:      Filtered,
		CLI:        CommandLine{Command: "decision lineage ID", Names: "decision"},
		REST:       "GET /v1/graph/lineage",
	}, method((*links.Store).Lineage)),
	define(Operation{
		Name:       "unlink_decisions",
		Title:      "Unlink decisions",
		Toolset:    "manage",
		Use:        "Remove a link between two decisions. The session records the link and the reason.",
		Permission: Govern,
		Scope:      Filtered,
		Hints:      Hints{Destructive: true},
		CLI:        CommandLine{Command: "decision unlink SOURCE_ID TARGET_ID", Flags: linkFlags, Names: "decision"},
		REST:       "DELETE /v1/links",
	}, method((*links.Store).Unlink)),
)
