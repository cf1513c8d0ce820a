// Marks, among the $limit chunks after $after in order of uid, those without vectors of $model and $dimensions, and those with vectors older than $since (null: of any age).
MATCH (c:Chunk) USING INDEX c:Chunk(uid)
WHERE c.uid > $after
WITH c ORDER BY c.uid LIMIT $limit
WITH c, EXISTS {
  MATCH (c)<-[:OF]-(e:ChunkEmbedding)
  WHERE e.model = $model AND e.dimensions = $dimensions AND coalesce(e.created_at >= $since, true)
} AS fresh
FOREACH (stale IN CASE WHEN fresh THEN [] ELSE [c] END | SET stale:UnindexedChunk)
RETURN max(c.uid) AS last, count(c) AS seen, sum(CASE WHEN fresh THEN 0 ELSE 1 END) AS marked
