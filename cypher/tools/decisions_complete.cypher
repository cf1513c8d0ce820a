// Decisions whose ids begin with $prefix, in order, at most $limit, of those that $sight leaves: id as name, and what was decided.
MATCH (d:Decision) WHERE d.id STARTS WITH $prefix AND ($sight IS NULL OR toLower(d.project) IN $sight.projects AND (d.visibility <> 'private' OR toLower(d.agent) = $sight.agent))
RETURN d.id AS name, coalesce(toStringOrNull(d.decision), '') AS title
ORDER BY name LIMIT $limit
