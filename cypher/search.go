package cypher

// Statements of search: full text, vectors, and nodes to be indexed.
var (
	DecisionsByText   = reads("search/decisions_by_text")
	DecisionsByVector = reads("search/decisions_by_vector")
	DecisionsOfFacets = reads("search/decisions_of_facets")
	DecisionsLinked   = reads("search/decisions_linked")
	DecisionsTexts    = reads("search/decisions_texts")
	DecisionsPacked   = reads("search/decisions_packed")
	Unindexed         = reads("search/unindexed")
	SearchState       = reads("search/search_state")
	VectorsStore      = writes("search/vectors_store")
	MarkersRemove     = writes("search/markers_remove")
	ModelRecord       = writes("search/model_record")
	DecisionsMark     = writes("search/decisions_mark")
	RebuildEnd        = writes("search/rebuild_end")

	ContextsByText      = reads("search/contexts_by_text")
	ContextsByVector    = reads("search/contexts_by_vector")
	ContextsUnindexed   = reads("search/contexts_unindexed")
	ContextVectorsStore = writes("search/context_vectors_store")

	ChunksByText      = reads("search/chunks_by_text")
	ChunksByVector    = reads("search/chunks_by_vector")
	ChunksOfFacets    = reads("search/chunks_of_facets")
	ChunksUnindexed   = reads("search/chunks_unindexed")
	ChunkVectorsStore = writes("search/chunk_vectors_store")
	ChunksState       = reads("search/chunks_state")
	ChunksMark        = writes("search/chunks_mark")
)
