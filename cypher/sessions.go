package cypher

// Statements of sessions.
var (
	AtlasesList   = reads("sessions/atlases_list")
	AtlasWhole    = reads("sessions/atlas_whole")
	ContextOwners = reads("sessions/context_owners")
)
