package tools

import "nomograph/policies/live"

var knowledgeOperations = inToolset("knowledge",
	define(Operation{
		Name:       "get_federation_sources",
		Title:      "Federation sources",
		Use:        "List SYS_FederationSource nodes. Returns status, PID and scoping weight.",
		Permission: Read,
		Scope:      AllProjects,
		Command:    "federation list",
		REST:       "GET /v1/federation-sources",
	}, method((*live.Store).FederationSources)),
	define(Operation{
		Name:       "get_subject_concepts",
		Title:      "Subject concepts",
		Use:        "List SubjectConcept nodes, largest first. Returns label, entity count and facets.",
		Permission: Read,
		Scope:      AllProjects,
		Command:    "subject list",
		REST:       "GET /v1/subject-concepts",
	}, method((*live.Store).SubjectConcepts)),
)
