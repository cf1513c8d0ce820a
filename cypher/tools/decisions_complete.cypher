// Decisions whose ids begin with $prefix, in order, at most $limit, of those that the caller may see: id as name, and what was decided.
MATCH (d:Decision) WHERE d.id STARTS WITH $prefix AND true /* visible: d:Decision */
RETURN d.id AS name, coalesce(toStringOrNull(d.decision), '') AS title
ORDER BY name LIMIT $limit
