// Returns decisions whose ids begin with $prefix and that the caller may see, in order, at most $limit: the id as name, and the text.
MATCH (d:Decision) WHERE d.id STARTS WITH $prefix AND true /* visible: d:Decision */
RETURN d.id AS name, coalesce(toStringOrNull(d.decision), '') AS title
ORDER BY name LIMIT $limit
