// Scopes of circuit breakers that begin with $prefix, in order, at most $limit: scope as name, and the policy that says so.
MATCH (p:SYS_Policy) WHERE p.circuit_scope STARTS WITH $prefix
RETURN p.circuit_scope AS name, coalesce(head(collect(toStringOrNull(p.name))), '') AS title
ORDER BY name LIMIT $limit
