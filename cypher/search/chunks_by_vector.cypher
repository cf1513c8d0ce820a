// The $limit chunks of memory nearest to $vector, each as [uid, score, session] by the best of its passages, among the $fetch passages that the vector index $index finds, made by $model; of each of $groups a chunk has one of the tokens, each between blanks, among its facets; $after, $before: null for any. Also whose vectors count, how many passages there are, and how many chunks passed.
OPTIONAL MATCH (i:SYS_SearchIndex {name: 'chunks'})
CALL () { MATCH (e:ChunkEmbedding) RETURN count(e) AS found }
CALL () {
  CALL db.index.vector.queryNodes($index, $fetch, $vector) YIELD node AS e, score
  WHERE e.model = $model
  MATCH (e)-[:OF]->(c:Chunk)
  WHERE true /* visible: c:Chunk */ AND ($groups = [] OR all(tokens IN $groups WHERE any(token IN tokens WHERE ' ' + c.facets + ' ' CONTAINS token)))
    AND ($after IS NULL OR c.ends_at >= $after)
    AND ($before IS NULL OR c.at <= $before)
  WITH c, max(score) AS score
  WITH c.uid AS uid, c.session AS session, score ORDER BY score DESC, uid
  RETURN collect([uid, score, session]) AS passed
}
RETURN i.model AS model, i.dimensions AS dimensions, found, size(passed) AS passed, passed[..$limit] AS hits
