package cypher

// Statements of memory/recall.
var (
	ChunksTold     = reads("memory/recall/chunks_told")
	ChunksAlong    = reads("memory/recall/chunks_along")
	ChunksNewest   = reads("memory/recall/chunks_newest")
	ChunksOldest   = reads("memory/recall/chunks_oldest")
	ProjectsMeant  = reads("memory/recall/projects_meant")
	ProjectsMemory = reads("memory/recall/projects_memory")
	SessionsMemory = reads("memory/recall/sessions_memory")
	SessionsMeant  = reads("memory/recall/sessions_meant")
	SessionBefore  = reads("memory/recall/session_before")
)
