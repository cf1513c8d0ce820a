package tools

import "nomograph/decisions/briefing"

var contextOperations = inToolset("decisions",
	define(Operation{
		Name:       "get_session_context",
		Title:      "Session context",
		Use:        "Get the context of a task. Call at its start. Returns profile, active rules, action items, decisions and lessons.",
		Permission: Read,
		Scope:      OfProject,
		Hints:      readOnly,
		Command:    "context TASK_DESCRIPTION",
		REST:       "POST /v1/context",
		CSTP:       "cstp.getSessionContext",
	}, method((*briefing.Store).SessionContext)),
)
