// Returns the $limit contexts nearest to $vector, each as [uid, score] by its best passage, among the $fetch passages that the vector index $index finds, made by $model, of atlases that the caller may see and that are in $atlases (null: any). Also returns their names, keywords and contents, and the number of passages.
CALL () { MATCH (e:ContextEmbedding) RETURN count(e) AS all }
CALL () {
  CALL db.index.vector.queryNodes($index, $fetch, $vector) YIELD node AS e, score
  WHERE e.model = $model
  MATCH (e)-[:OF]->(c:Context)
  WHERE EXISTS { (a:Atlas)-[:HAS_CONTEXT]->(c) WHERE ($atlases IS NULL OR a.atlas_id IN $atlases) AND true /* visible: a:Atlas */ }
  WITH c, max(score) AS score
  WITH c, score ORDER BY score DESC, c.uid
  RETURN collect(c) AS near, collect([c.uid, score]) AS passed
}
WITH all, passed, near[..$limit] AS found
RETURN CASE WHEN all > 0 THEN $model END AS model, size($vector) AS dimensions, all AS found, passed[..$limit] AS hits,
  [c IN found | c {.uid, .name, .keywords, .content}] AS read
