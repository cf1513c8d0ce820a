// The $limit decisions nearest to $vector among all that the Lucene query $query leaves, by their exact vectors of $side, made by $model; none where more than $most are left. $min_confidence, $max_confidence, $after, $before: null for any. Also whose vectors count, and how many were left.
OPTIONAL MATCH (i:SYS_SearchIndex {name: 'decisions'})
CALL () { CALL db.index.fulltext.queryNodes('decision_text', $query, {limit: $most + 1}) YIELD node RETURN count(node) AS found }
CALL (found) {
  WITH found WHERE found <= $most
  CALL db.index.fulltext.queryNodes('decision_text', $query, {limit: $most}) YIELD node AS d
  WHERE NOT d:Retracted AND ($min_confidence IS NULL OR d.confidence >= $min_confidence)
    AND ($max_confidence IS NULL OR d.confidence <= $max_confidence)
    AND ($after IS NULL OR d.created_at >= $after)
    AND ($before IS NULL OR d.created_at <= $before)
  MATCH (d)<-[:OF]-(e:Embedding {model: $model})
  WITH d, CASE $side WHEN 'structure' THEN e.structure WHEN 'function' THEN e.function ELSE e.text END AS vector
  WHERE size(vector) = size($vector)
  WITH d, vector.similarity.cosine(vector, $vector) AS score ORDER BY score DESC, d.uid LIMIT $limit
  RETURN collect({uid: d.uid, score: score, properties: d {.uid, .id, .category, .confidence, .stakes, .status, .outcome, .created_at, .project, .agent, .tags, .pattern,
    .source_status, .external_id, .bridge_method, .structure, .function, .tolerance, .enforcement, .prevention, decision: left(d.decision, 400)}}) AS hits
}
RETURN i.model AS model, i.dimensions AS dimensions, found, hits
