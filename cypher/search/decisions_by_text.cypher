// Returns the $limit best decisions for the Lucene query $query among its first $fetch hits, each as [uid, score]; $min_confidence, $max_confidence, $after, $before: null for any. Also returns the first $cut characters of each text and its vectors of $model as bytes, and the number of all passages.
CALL db.index.fulltext.queryNodes('decision_text', $query, {limit: $fetch}) YIELD node AS d, score
WHERE NOT d:Retracted AND true /* visible: d:Decision */ AND ($min_confidence IS NULL OR d.confidence >= $min_confidence)
  AND ($max_confidence IS NULL OR d.confidence <= $max_confidence)
  AND ($after IS NULL OR d.created_at >= $after)
  AND ($before IS NULL OR d.created_at <= $before)
WITH d, d.uid AS uid, score ORDER BY score DESC, uid LIMIT $limit
WITH collect([uid, score]) AS hits, collect({uid: uid, decision: left(d.decision, $cut), context: left(d.context, $cut), terms: left(d.terms, $cut), packed: [(d)<-[:OF]-(e:Embedding) WHERE e.model = $model AND e.packed IS NOT NULL | e.packed]}) AS read
CALL () { MATCH (e:Embedding) RETURN count(e) AS passages }
RETURN hits, read, passages
