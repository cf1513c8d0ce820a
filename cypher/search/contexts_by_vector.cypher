// The $limit contexts nearest to $vector, each as [uid, score] by the best of its passages, among the $fetch passages that the vector index $index finds, made by $model; those that an atlas has, and where $atlases is not null one of these. Also how many passages there are, and how many contexts passed.
CALL () { MATCH (e:ContextEmbedding) RETURN count(e) AS found }
CALL () {
  CALL db.index.vector.queryNodes($index, $fetch, $vector) YIELD node AS e, score
  WHERE e.model = $model
  MATCH (e)-[:OF]->(c:Context)
  WHERE EXISTS { (a:Atlas)-[:HAS_CONTEXT]->(c) WHERE $atlases IS NULL OR a.atlas_id IN $atlases }
  WITH c, max(score) AS score
  WITH c.uid AS uid, score ORDER BY score DESC, uid
  RETURN collect([uid, score]) AS passed
}
RETURN CASE WHEN found > 0 THEN $model END AS model, size($vector) AS dimensions, found, size(passed) AS passed, passed[..$limit] AS hits
