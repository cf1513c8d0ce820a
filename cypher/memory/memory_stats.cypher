// Returns the size of memory from the server's counters and those of its projects. No parameters.
CALL () { MATCH (c:Chunk) RETURN count(c) AS chunks }
CALL () { MATCH (e:ChunkEmbedding) RETURN count(e) AS passages }
CALL () { MATCH (u:UnindexedChunk) RETURN count(u) AS unindexed }
CALL () { MATCH (m:Unremembered) RETURN count(m) AS marked }
CALL () { MATCH (f:ForgottenChunk) RETURN count(f) AS forgotten }
CALL () { MATCH (p:MemoryProject) WHERE p.chunks > 0 RETURN count(p) AS projects, sum(p.tokens) AS tokens, min(p.first_at) AS first_at, max(p.last_at) AS last_at }
RETURN projects, chunks, tokens, passages, unindexed, marked, forgotten, first_at, last_at
