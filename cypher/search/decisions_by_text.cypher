// The $limit decisions that the Lucene query $query finds best, among its first $fetch, each as [uid, score]; $min_confidence, $max_confidence, $after, $before: null for any.
CALL db.index.fulltext.queryNodes('decision_text', $query, {limit: $fetch}) YIELD node AS d, score
WHERE NOT d:Retracted AND ($sight IS NULL OR toLower(d.project) IN $sight.projects AND (d.visibility <> 'private' OR toLower(d.agent) = $sight.agent)) AND ($min_confidence IS NULL OR d.confidence >= $min_confidence)
  AND ($max_confidence IS NULL OR d.confidence <= $max_confidence)
  AND ($after IS NULL OR d.created_at >= $after)
  AND ($before IS NULL OR d.created_at <= $before)
WITH d.uid AS uid, score ORDER BY score DESC, uid LIMIT $limit
RETURN collect([uid, score]) AS hits
