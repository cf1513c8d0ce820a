package cypher

// Statements of memory.
var (
	ChunksExisting         = reads("memory/chunks_existing")
	ProjectNames           = reads("memory/project_names")
	ChunksCreate           = writes("memory/chunks_create")
	ChunksChain            = writes("memory/chunks_chain")
	ChunksUpdate           = writes("memory/chunks_update")
	ChunksRemove           = writes("memory/chunks_remove")
	SessionsAddCounts      = writes("memory/sessions_add_counts")
	ProjectsAddCounts      = writes("memory/projects_add_counts")
	SessionsWithoutChunks  = reads("memory/sessions_without_chunks")
	EventsForChunks        = reads("memory/events_for_chunks")
	SessionClaim           = writes("memory/session_claim")
	DecisionsWithoutChunks = reads("memory/decisions_without_chunks")
	DecisionsClaim         = writes("memory/decisions_claim")
	DecisionChunksStore    = writes("memory/decision_chunks_store")

	FactsSupersedable = reads("memory/facts_supersedable")
	FactsSupersede    = writes("memory/facts_supersede")
	FactsNext         = reads("memory/facts_next")

	ChunksForgettable = reads("memory/chunks_forgettable")
	SessionByRef      = reads("memory/session_by_ref")
	SessionsLock      = writes("memory/sessions_lock")
	ChunksForget      = writes("memory/chunks_forget")
	EventsForget      = writes("memory/events_forget")
	SessionsSubtract  = writes("memory/sessions_subtract")
	ProjectsSpan      = writes("memory/projects_span")
	ProjectsRecount   = writes("memory/projects_recount")
	MemoryStats       = reads("memory/memory_stats")
	MemorySources     = reads("memory/memory_sources")

	ConversationsOpen = writes("memory/conversations_open")

	ConversationKnown    = reads("memory/conversations/conversation_known")
	ConversationContents = reads("memory/conversations/conversation_contents")
)
