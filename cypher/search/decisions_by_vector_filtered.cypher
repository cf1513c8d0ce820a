// Returns the $limit decisions nearest to $vector, each as [uid, score] by its best passage, among the $fetch passages that the filtered vector index finds between $low and $high, facet by facet, made by $model. A decision must have a facet token of each of $groups, which are separated by blanks; $min_confidence, $max_confidence, $after, $before: null for any. Also returns the model of the index, whether its vectors have facets, and the numbers of passages and of matching decisions.
CYPHER 25
OPTIONAL MATCH (i:SYS_SearchIndex {name: 'decisions'})
CALL () { MATCH (e:Embedding) RETURN count(e) AS found }
CALL () {
  MATCH (e:Embedding)
  SEARCH e IN (
    VECTOR INDEX embedding_filtered FOR $vector
    WHERE e.retracted = '' AND e.category >= $low.category AND e.category <= $high.category
      AND e.stakes >= $low.stakes AND e.stakes <= $high.stakes
      AND e.status >= $low.status AND e.status <= $high.status
      AND e.project >= $low.project AND e.project <= $high.project
      AND e.agent >= $low.agent AND e.agent <= $high.agent
    LIMIT $fetch
  ) SCORE AS score
  MATCH (e)-[:OF]->(d:Decision)
  WHERE e.model = $model
  WITH d, score
  WHERE NOT d:Retracted AND true /* visible: d:Decision */ AND ($groups = [] OR all(tokens IN $groups WHERE any(token IN tokens WHERE ' ' + d.facets + ' ' CONTAINS token)))
    AND ($min_confidence IS NULL OR d.confidence >= $min_confidence)
    AND ($max_confidence IS NULL OR d.confidence <= $max_confidence)
    AND ($after IS NULL OR d.created_at >= $after)
    AND ($before IS NULL OR d.created_at <= $before)
  WITH d, max(score) AS score
  WITH d.uid AS uid, score ORDER BY score DESC, uid
  RETURN collect([uid, score]) AS passed
}
RETURN i.model AS model, i.dimensions AS dimensions, coalesce(i.filtered, false) AS filtered, found, size(passed) AS passed, passed[..$limit] AS hits
