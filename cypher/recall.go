package cypher

// Statements of memory/recall.
var (
	ChecksOfChunks = reads("memory/recall/checks_of_chunks")
	ChunksByUID    = reads("memory/recall/chunks_by_uid")
	ChunksLinked   = reads("memory/recall/chunks_linked")
	ChunksNewest   = reads("memory/recall/chunks_newest")
	ChunksOldest   = reads("memory/recall/chunks_oldest")
	ProjectsByName = reads("memory/recall/projects_by_name")
	ProjectsMemory = reads("memory/recall/projects_memory")
	SessionsMemory = reads("memory/recall/sessions_memory")
	SessionsByRef  = reads("memory/recall/sessions_by_ref")
	SessionBefore  = reads("memory/recall/session_before")
)
