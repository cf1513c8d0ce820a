// The $limit chunks of memory that the Lucene query $query finds best, among its first $fetch, each as [uid, score, session]; $after, $before: null for any.
CALL db.index.fulltext.queryNodes('chunk_text', $query, {limit: $fetch}) YIELD node AS c, score
WHERE c:Chunk AND ($sight IS NULL OR toLower(c.project) IN $sight.projects AND (c.visibility <> 'private' OR toLower(c.agent) = $sight.agent))
  AND ($after IS NULL OR c.ends_at >= $after)
  AND ($before IS NULL OR c.at <= $before)
WITH c.uid AS uid, c.session AS session, score ORDER BY score DESC, uid LIMIT $limit
RETURN collect([uid, score, session]) AS hits
