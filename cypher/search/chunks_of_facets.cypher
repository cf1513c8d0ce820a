// Returns the $limit chunks nearest to $vector, each as [uid, score, session], among all that match the Lucene query $query, by exact vectors of their best passage, made by $model. It returns none if more than $most match. $after, $before: null for any. Also returns the model of the index and the number of matches.
OPTIONAL MATCH (i:SYS_SearchIndex {name: 'chunks'})
CALL () { CALL db.index.fulltext.queryNodes('chunk_text', $query, {limit: $most + 1}) YIELD node RETURN collect(node) AS left }
CALL (left) {
  UNWIND CASE WHEN size(left) > $most THEN [] ELSE left END AS c
  WITH c, c.uid AS uid
  WHERE c:Chunk AND true /* visible: c:Chunk */
    AND ($after IS NULL OR c.ends_at >= $after)
    AND ($before IS NULL OR c.at <= $before)
  MATCH (c)<-[:OF]-(e:ChunkEmbedding {model: $model})
  WHERE size(e.text) = size($vector)
  // All vectors have length 1, so the distance determines the cosine and is cheaper for the server.
  WITH uid, c.session AS session, max(vector.similarity.euclidean(e.text, $vector)) AS near
  WITH uid, session, 1 - (1 / near - 1) / 4 AS score ORDER BY score DESC, uid LIMIT $limit
  RETURN collect([uid, score, session]) AS hits
}
RETURN i.model AS model, i.dimensions AS dimensions, size(left) AS found, hits
