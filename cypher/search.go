package cypher

// Statements of search: full text, vectors, and nodes to be indexed.
var (
	DecisionsByText   = reads("search/decisions_by_text")
	DecisionsByVector = reads("search/decisions_by_vector")
	// DecisionsByVectorFiltered is only for servers with SEARCH in Cypher.
	DecisionsByVectorFiltered = reads("search/decisions_by_vector_filtered")
	DecisionsOfFacets         = reads("search/decisions_of_facets")
	DecisionsLinked           = reads("search/decisions_linked")
	DecisionsTexts            = reads("search/decisions_texts")
	DecisionsPacked           = reads("search/decisions_packed")
	Unindexed                 = reads("search/unindexed")
	SearchState               = reads("search/search_state")
	VectorsStore              = writes("search/vectors_store")
	MarkersRemove             = writes("search/markers_remove")
	ModelRecord               = writes("search/model_record")
	DecisionsMark             = writes("search/decisions_mark")
	RebuildEnd                = writes("search/rebuild_end")

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

// Joined statements of search: full text and vectors of a hybrid search, and properties of hits that only vectors found.
var (
	DecisionsUnread = join("search/decisions_unread",
		Part{DecisionsTexts, "said", []string{"read"}}, Part{DecisionsLinked, "led", []string{"uid", "leads"}})

	decisionTexts = Part{DecisionsByText, "texts", []string{"hits", "read", "led", "passages"}}
	chunkTexts    = Part{ChunksByText, "texts", []string{"hits", "read"}}
	hybrids       = []Joined{
		join("search/decisions_hybrid", decisionTexts, Part{DecisionsByVector, "vectors", []string{"model", "dimensions", "found", "passed", "hits"}}),
		join("search/decisions_hybrid_exact", decisionTexts, Part{DecisionsOfFacets, "vectors", []string{"model", "dimensions", "found", "hits"}}),
		join("search/chunks_hybrid", chunkTexts, Part{ChunksByVector, "vectors", []string{"model", "dimensions", "found", "passed", "hits"}}),
		join("search/chunks_hybrid_exact", chunkTexts, Part{ChunksOfFacets, "vectors", []string{"model", "dimensions", "found", "hits"}}),
	}
)

// JoinedOf returns the hybrid search that has both statements as its parts.
func JoinedOf(a, b Statement) (Joined, bool) {
	for _, j := range hybrids {
		first, second := j.Parts[0].Name, j.Parts[1].Name
		if first == a.Name && second == b.Name || first == b.Name && second == a.Name {
			return j, true
		}
	}
	return Joined{}, false
}
