// Returns the $limit chunks nearest to $vector, each as [uid, score, session] by its best passage, among the $fetch passages that the vector index $index finds, made by $model. A chunk must have a facet token of each of $groups, which are separated by blanks; $after, $before: null for any. Also returns the model of the index and the number of passages.
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
RETURN i.model AS model, i.dimensions AS dimensions, found, passed[..$limit] AS hits
