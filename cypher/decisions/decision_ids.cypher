// Ids of decisions that begin with $prefix, in order, at most $limit.
MATCH (d:Decision) WHERE d.id STARTS WITH $prefix RETURN d.id AS id ORDER BY id LIMIT $limit
