// Returns policies whose names begin with $prefix, in order, at most $limit: name and subject.
MATCH (n:SYS_Policy) WHERE n.name STARTS WITH $prefix
RETURN n.name AS name, coalesce(head(collect(toStringOrNull(n.description))), '') AS title
ORDER BY name LIMIT $limit
