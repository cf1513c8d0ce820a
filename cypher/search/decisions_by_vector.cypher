// Returns the $limit decisions nearest to $vector, each as [uid, score] by its best passage, among the $fetch passages that the vector index $index finds, made by $model. A decision must have a facet token of each of $groups, which are separated by blanks; $min_confidence, $max_confidence, $after, $before: null for any. Also returns the model of the index and the number of passages.
OPTIONAL MATCH (i:SYS_SearchIndex {name: 'decisions'})
CALL () { MATCH (e:Embedding) RETURN count(e) AS found }
CALL () {
  CALL db.index.vector.queryNodes($index, $fetch, $vector) YIELD node AS e, score
  WHERE e.model = $model
  MATCH (e)-[:OF]->(d:Decision)
  WHERE NOT d:Retracted AND true /* visible: d:Decision */ AND ($groups = [] OR all(tokens IN $groups WHERE any(token IN tokens WHERE ' ' + d.facets + ' ' CONTAINS token)))
    AND ($min_confidence IS NULL OR d.confidence >= $min_confidence)
    AND ($max_confidence IS NULL OR d.confidence <= $max_confidence)
    AND ($after IS NULL OR d.created_at >= $after)
    AND ($before IS NULL OR d.created_at <= $before)
  WITH d, max(score) AS score
  WITH d.uid AS uid, score ORDER BY score DESC, uid
  RETURN collect([uid, score]) AS passed
}
RETURN i.model AS model, i.dimensions AS dimensions, found, passed[..$limit] AS hits
