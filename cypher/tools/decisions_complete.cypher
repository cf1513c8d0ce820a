// Decisions whose ids begin with $prefix, in order, at most $limit: id as name, and what was decided.
MATCH (d:Decision) WHERE d.id STARTS WITH $prefix
RETURN d.id AS name, coalesce(toStringOrNull(d.decision), '') AS title
ORDER BY name LIMIT $limit
