// The $limit decisions nearest to $vector among the $fetch that the vector index $index finds, made by $model, with a token of each of $groups among their facets; $min_confidence, $max_confidence, $after, $before: null for any. Also whose vectors count, and how many decisions have some.
OPTIONAL MATCH (i:SYS_SearchIndex {name: 'decisions'})
CALL () { MATCH (e:Embedding) RETURN count(e) AS found }
CALL () {
  CALL db.index.vector.queryNodes($index, $fetch, $vector) YIELD node AS e, score
  WHERE e.model = $model
  MATCH (e)-[:OF]->(d:Decision)
  WHERE NOT d:Retracted AND ($groups = [] OR all(tokens IN $groups WHERE any(token IN tokens WHERE token IN split(d.facets, ' '))))
    AND ($min_confidence IS NULL OR d.confidence >= $min_confidence)
    AND ($max_confidence IS NULL OR d.confidence <= $max_confidence)
    AND ($after IS NULL OR d.created_at >= $after)
    AND ($before IS NULL OR d.created_at <= $before)
  WITH d, score ORDER BY score DESC, d.uid LIMIT $limit
  RETURN collect({uid: d.uid, score: score, properties: d {.uid, .id, .category, .confidence, .stakes, .status, .outcome, .created_at, .project, .agent, .tags, .pattern,
    .source_status, .external_id, .bridge_method, .structure, .function, .tolerance, .enforcement, .prevention, decision: left(d.decision, 400)}}) AS hits
}
RETURN i.model AS model, i.dimensions AS dimensions, found, hits
