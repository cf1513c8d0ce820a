// Marks decisions for new vectors among the $limit after $after in order of uid: without vectors of $model and $dimensions, with vectors older than $since (null: of any age), without bytes, and those longer than $short characters whose vectors are older than passages.
MATCH (d:Decision) USING INDEX d:Decision(uid)
WHERE d.uid > $after
WITH d ORDER BY d.uid LIMIT $limit
WITH d, EXISTS {
  MATCH (d)<-[:OF]-(e:Embedding)
  WHERE e.model = $model AND e.dimensions = $dimensions AND coalesce(e.created_at >= $since, true)
    AND (e.text IS NULL OR e.packed IS NOT NULL)
    AND (e.passages IS NOT NULL OR size(coalesce(d.decision, '')) + size(coalesce(d.context, '')) + size(coalesce(d.terms, '')) <= $short)
} AS fresh
FOREACH (stale IN CASE WHEN fresh THEN [] ELSE [d] END | SET stale:Unindexed)
RETURN max(d.uid) AS last, count(d) AS seen, sum(CASE WHEN fresh THEN 0 ELSE 1 END) AS marked
