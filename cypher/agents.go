package cypher

// Statements of agents.
var (
	DecisionsShared = reads("agents/decisions_shared")
	IntentAnnounce  = writes("agents/intent_announce").notifies("Intent", "Voice")
	IntentsPage     = reads("agents/intents_page")
	IntentWithVotes = reads("agents/intent_with_votes")
	VoteAdd         = writes("agents/vote_add").notifies("Voice")
)
