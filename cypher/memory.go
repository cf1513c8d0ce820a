package cypher

// Statements of memory.
var (
	ChunksStanding        = reads("memory/chunks_standing")
	ProjectNames          = reads("memory/project_names")
	ChunksCreate          = writes("memory/chunks_create")
	ChunksChain           = writes("memory/chunks_chain")
	ChunksUpdate          = writes("memory/chunks_update")
	ChunksRemove          = writes("memory/chunks_remove")
	SessionsGrow          = writes("memory/sessions_grow")
	ProjectsGrow          = writes("memory/projects_grow")
	SessionsUnremembered  = reads("memory/sessions_unremembered")
	EventsRemember        = reads("memory/events_remember")
	SessionHold           = writes("memory/session_hold")
	DecisionsUnremembered = reads("memory/decisions_unremembered")
	DecisionsHold         = writes("memory/decisions_hold")
	DecisionChunksKeep    = writes("memory/decision_chunks_keep")

	FactsStanding  = reads("memory/facts_standing")
	FactsSupersede = writes("memory/facts_supersede")
	FactsNext      = reads("memory/facts_next")

	ChunksForgettable = reads("memory/chunks_forgettable")
	SessionMeant      = reads("memory/session_meant")
	ProjectsEnding    = reads("memory/projects_ending")
	SessionsLock      = writes("memory/sessions_lock")
	ChunksForget      = writes("memory/chunks_forget")
	EventsForget      = writes("memory/events_forget")
	SessionsForgot    = writes("memory/sessions_forgot")
	ProjectsSpan      = writes("memory/projects_span")
	ProjectsRecount   = writes("memory/projects_recount")
	MemoryStats       = reads("memory/memory_stats")
	MemorySources     = reads("memory/memory_sources")

	ConversationsOpen = writes("memory/conversations_open")

	ConversationKnown = reads("memory/conversations/conversation_known")
)
