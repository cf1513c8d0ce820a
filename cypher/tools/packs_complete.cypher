// Packs that were applied whose names begin with $prefix, in order, at most $limit: name, and version.
MATCH (p:SYS_Pack) WHERE p.name STARTS WITH $prefix
RETURN p.name AS name, coalesce(toStringOrNull(p.version), '') AS title
ORDER BY name LIMIT $limit
