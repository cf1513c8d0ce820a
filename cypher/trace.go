package cypher

// Statements of trace: sessions and their chained events.
var (
	SessionsOpen        = writes("trace/sessions_open")
	EventsAppend        = writes("trace/events_append").notifies("Verdict")
	EventsAttach        = writes("trace/events_attach")
	EventsPending       = reads("trace/events_pending")
	SessionByID         = reads("trace/session_by_id")
	SessionsWithPrefix  = reads("trace/sessions_with_prefix")
	SessionsPage        = reads("trace/sessions_page")
	SessionsOfAgent     = reads("trace/sessions_of_agent")
	SessionsGlance      = reads("trace/sessions_glance")
	SessionsByUID       = reads("trace/sessions_by_uid")
	SessionsNameless    = reads("trace/sessions_nameless")
	EventsPage          = reads("trace/events_page")
	EventsNewest        = reads("trace/events_newest")
	EventsTypes         = reads("trace/events_types")
	SessionConversation = reads("trace/session_conversation")
	ChainEvents         = reads("trace/chain_events")
	ChainEnd            = reads("trace/chain_end")
	EventsOrphaned      = reads("trace/events_orphaned")
)
