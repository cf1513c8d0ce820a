// Returns the distances to $vector of all decisions that match the Lucene query $query, each passage as [uid, score] or [uid, bytes] of its vector, by exact vectors of $side, made by $model. It returns none if more than $most match. $min_confidence, $max_confidence, $after, $before: null for any. Also returns the model of the index and the number of matches.
OPTIONAL MATCH (i:SYS_SearchIndex {name: 'decisions'})
CALL () { CALL db.index.fulltext.queryNodes('decision_text', $query, {limit: $most + 1}) YIELD node RETURN collect(node) AS left }
CALL (left) {
  UNWIND CASE WHEN size(left) > $most THEN [] ELSE left END AS d
  WITH d, d.uid AS uid
  WHERE NOT d:Retracted AND true /* visible: d:Decision */ AND ($min_confidence IS NULL OR d.confidence >= $min_confidence)
    AND ($max_confidence IS NULL OR d.confidence <= $max_confidence)
    AND ($after IS NULL OR d.created_at >= $after)
    AND ($before IS NULL OR d.created_at <= $before)
  MATCH (d)<-[:OF]-(e:Embedding {model: $model})
  // The caller compares bytes, because reading and comparing lists of numbers costs the server twice as much. Older vectors have no bytes.
  WITH uid, e, CASE WHEN $side = 'both' THEN e.packed END AS packed
  WITH uid, packed, CASE WHEN packed IS NOT NULL THEN null WHEN $side = 'structure' THEN e.structure WHEN $side = 'function' THEN e.function ELSE e.text END AS vector
  WHERE packed IS NOT NULL OR size(vector) = size($vector)
  // All vectors have length 1, so the distance determines the cosine and is cheaper for the server.
  RETURN collect([uid, coalesce(packed, 1 - (1 / vector.similarity.euclidean(vector, $vector) - 1) / 4)]) AS hits
}
RETURN i.model AS model, i.dimensions AS dimensions, size(left) AS found, hits
