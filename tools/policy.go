package tools

import "nomograph/policies/live"

// readOnly are the hints of operations that do not change the caller's data. Session events, stored verdicts and
// updated counters do not count as changes.
var readOnly = Hints{ReadOnly: true, Idempotent: true}

var policyOperations = inToolset("policy",
	define(Operation{
		Name:       "get_policy",
		Title:      "Policy",
		Use:        "Read a live SYS_Policy node with its active state. Its reading.effect says whether it evaluates actions or is data.",
		Permission: Read,
		Scope:      AllProjects,
		Command:    "policy get NAME",
		Names:      "policy",
		REST:       "GET /v1/policies/{name}",
	}, method((*live.Store).Policy)),
	define(Operation{
		Name:       "get_threshold",
		Title:      "Threshold",
		Use:        "Read a live SYS_Threshold node: value, unit, rationale. Use instead of a literal in code.",
		Permission: Read,
		Scope:      AllProjects,
		Command:    "threshold get NAME",
		Names:      "threshold",
		CLI:        CommandLine{Value: "value"},
		REST:       "GET /v1/thresholds/{name}",
	}, method((*live.Store).Threshold)),
	define(Operation{
		Name:       "list_policies",
		Title:      "Policies",
		Use:        "List SYS_Policy nodes with state and decision table. Returns effect: block, warn, shadow, off or data. Forbidden facets: set active and has_facet_key.",
		Permission: Read,
		Scope:      AllProjects,
		Command:    "policy list",
		REST:       "GET /v1/policies",
	}, method((*live.Store).Policies)),
	define(Operation{
		Name:       "list_thresholds",
		Title:      "Thresholds",
		Use:        "List SYS_Threshold nodes: name, value, unit, decision table.",
		Permission: Read,
		Scope:      AllProjects,
		Command:    "threshold list",
		REST:       "GET /v1/thresholds",
	}, method((*live.Store).Thresholds)),
)
