// Marks, among the $limit decisions after $after in order of uid, those without vectors of $model and $dimensions, those whose vectors are older than $since (null: of any age), those that lack the facets of a filtered index where $filtered, those that do not stand as bytes, and those of more than $short characters whose vectors were made before there were passages.
MATCH (d:Decision) USING INDEX d:Decision(uid)
WHERE d.uid > $after
WITH d ORDER BY d.uid LIMIT $limit
WITH d, EXISTS {
  MATCH (d)<-[:OF]-(e:Embedding)
  WHERE e.model = $model AND e.dimensions = $dimensions AND coalesce(e.created_at >= $since, true) AND (NOT $filtered OR e.retracted IS NOT NULL)
    AND (e.text IS NULL OR e.packed IS NOT NULL)
    AND (e.passages IS NOT NULL OR size(coalesce(d.decision, '')) + size(coalesce(d.context, '')) + size(coalesce(d.terms, '')) <= $short)
} AS fresh
FOREACH (stale IN CASE WHEN fresh THEN [] ELSE [d] END | SET stale:Unindexed)
RETURN max(d.uid) AS last, count(d) AS seen, sum(CASE WHEN fresh THEN 0 ELSE 1 END) AS marked
