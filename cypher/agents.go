package cypher

// Statements of agents.
var (
	DecisionsShared = reads("agents/decisions_shared")
	IntentAnnounce  = writes("agents/intent_announce").notifies("Intent", "Voice")
	IntentsPage     = reads("agents/intents_page")
	IntentWhole     = reads("agents/intent_whole")
	VoiceAdd        = writes("agents/voice_add").notifies("Voice")
)
