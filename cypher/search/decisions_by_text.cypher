// The $limit decisions that the Lucene query $query finds best, among its first $fetch; $min_confidence, $max_confidence, $after, $before: null for any.
CALL db.index.fulltext.queryNodes('decision_text', $query, {limit: $fetch}) YIELD node AS d, score
WHERE NOT d:Retracted AND ($min_confidence IS NULL OR d.confidence >= $min_confidence)
  AND ($max_confidence IS NULL OR d.confidence <= $max_confidence)
  AND ($after IS NULL OR d.created_at >= $after)
  AND ($before IS NULL OR d.created_at <= $before)
WITH d, score ORDER BY score DESC, d.uid LIMIT $limit
RETURN collect({uid: d.uid, score: score, properties: d {.uid, .id, .category, .confidence, .stakes, .status, .outcome, .created_at, .project, .agent, .tags, .pattern,
    .source_status, .external_id, .bridge_method, .structure, .function, .tolerance, .enforcement, .prevention, decision: left(d.decision, 400)}}) AS hits
