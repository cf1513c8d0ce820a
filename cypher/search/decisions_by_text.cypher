// Returns the $limit best decisions for the Lucene query $query among its first $fetch hits, each as [uid, score]; $min_confidence, $max_confidence, $after, $before: null for any. Also returns the first $cut characters of each text and its vectors of $model as bytes, the uids of decisions among its first $most stated links that pass the filter, with a facet token of each of $groups, which are separated by blanks, and the number of all passages.
CALL db.index.fulltext.queryNodes('decision_text', $query, {limit: $fetch}) YIELD node AS d, score
WHERE NOT d:Retracted AND true /* visible: d:Decision */ AND ($min_confidence IS NULL OR d.confidence >= $min_confidence)
  AND ($max_confidence IS NULL OR d.confidence <= $max_confidence)
  AND ($after IS NULL OR d.created_at >= $after)
  AND ($before IS NULL OR d.created_at <= $before)
WITH d, d.uid AS uid, score ORDER BY score DESC, uid LIMIT $limit
WITH collect([uid, score]) AS hits, collect({uid: uid, decision: left(d.decision, $cut), context: left(d.context, $cut), terms: left(d.terms, $cut), packed: [(d)<-[:OF]-(e:Embedding) WHERE e.model = $model AND e.packed IS NOT NULL | e.packed], leads: COLLECT {
  MATCH (d)-[l:SUPERSEDES|DEPENDS_ON|BLOCKS|CONTRADICTS|RELATES_TO]-(o:Decision)
  WHERE NOT coalesce(l.auto, false)
  WITH DISTINCT o LIMIT $most
  WITH o
  WHERE NOT o:Retracted AND true /* visible: o:Decision */ AND ($groups = [] OR all(tokens IN $groups WHERE any(token IN tokens WHERE ' ' + o.facets + ' ' CONTAINS token)))
    AND ($min_confidence IS NULL OR o.confidence >= $min_confidence)
    AND ($max_confidence IS NULL OR o.confidence <= $max_confidence)
    AND ($after IS NULL OR o.created_at >= $after)
    AND ($before IS NULL OR o.created_at <= $before)
  RETURN o.uid
}}) AS read
CALL () { MATCH (e:Embedding) RETURN count(e) AS passages }
RETURN hits, read, passages
