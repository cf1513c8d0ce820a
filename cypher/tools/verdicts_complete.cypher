// Verdicts whose uids begin with $prefix, newest first, at most $limit, of those that $sight leaves: uid as name, and what was said of what.
MATCH (v:Verdict) WHERE v.uid STARTS WITH $prefix
  AND ($sight IS NULL OR toLower(v.project) IN $sight.projects AND NOT EXISTS { (v)-[:JUDGED]->(d:Decision) WHERE NOT coalesce(toLower(d.project) IN $sight.projects AND (d.visibility <> 'private' OR toLower(d.agent) = $sight.agent), false) })
RETURN v.uid AS name, CASE WHEN v.allowed THEN 'allowed: ' ELSE 'denied: ' END + coalesce(toStringOrNull(v.description), '') AS title
ORDER BY name DESC LIMIT $limit
