// Returns scopes of circuit breakers that begin with $prefix, in order, at most $limit: the scope as name, and its policy.
MATCH (p:SYS_Policy) WHERE p.circuit_scope STARTS WITH $prefix
RETURN p.circuit_scope AS name, coalesce(head(collect(toStringOrNull(p.name))), '') AS title
ORDER BY name LIMIT $limit
