// Returns the first $cut characters of each text of the decisions $uids, their vectors of $model as bytes, and of their first $most stated links the uids of those that pass a filter: with a facet token of each of $groups, which are separated by blanks; $min_confidence, $max_confidence, $after, $before: null for any.
UNWIND $uids AS uid
MATCH (d:Decision {uid: uid})
RETURN {uid: uid, decision: left(d.decision, $cut), context: left(d.context, $cut), terms: left(d.terms, $cut), packed: [(d)<-[:OF]-(e:Embedding) WHERE e.model = $model AND e.packed IS NOT NULL | e.packed], leads: COLLECT {
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
}} AS read
