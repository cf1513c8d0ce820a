// Returns the uids of sessions with events that were used since $since and belong to $project or hold decisions of it (in lower case; null for any), in order. $limit.
MATCH (s:Session)
WHERE s.count > 0 AND ($since IS NULL OR s.last_at >= $since)
  AND ($project IS NULL OR toLower(s.project) = $project OR EXISTS { MATCH (s)-[:RECORDED]->()<-[:DELIBERATED_BY]-(d:Decision) WHERE toLower(d.project) = $project })
RETURN s.uid AS uid ORDER BY uid LIMIT $limit
