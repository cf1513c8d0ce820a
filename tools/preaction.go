package tools

import "nomograph/decisions/preparation"

var preActionOperations = inToolset("decisions",
	define(Operation{
		Name:       "pre_action",
		Title:      "Prepare a decision",
		Use:        "Check and record a significant decision. Call before acting. Finds precedents with outcomes; records if allowed.",
		Permission: Decide,
		Scope:      OfProject,
		Command:    "decision prepare DESCRIPTION",
		CLI: CommandLine{Open: []string{"action", "options"},
			Flags: map[string]string{"action_context": "facts", "query_limit": "precedents"}},
		REST:        "POST /v1/decisions/prepare",
		CSTP:        "cstp.preAction",
		FailsClosed: true,
	}, method((*preparation.Store).PreAction)),
)
