// Returns the state of the search index of memory. Counts come from the count store; model and dimensions from the index node. A chunk has one embedding, and one more for each further passage of a long text.
CALL () { MATCH (c:Chunk) RETURN count(c) AS decisions }
CALL () { MATCH (u:UnindexedChunk) RETURN count(u) AS pending }
CALL () { MATCH (e:ChunkEmbedding) RETURN count(e) AS passages }
CALL () { MATCH (p:LaterChunkPassage) RETURN count(p) AS later }
OPTIONAL MATCH (i:SYS_SearchIndex {name: 'chunks'})
RETURN decisions, pending, passages - later AS indexed, passages, i.model AS model, i.dimensions AS dimensions, true AS current, i.rebuilding_since AS rebuilding_since
