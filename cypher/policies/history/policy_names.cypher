// Returns names of policies: those that begin with $prefix first, then any, at most $limit of each.
MATCH (n:SYS_Policy) WHERE n.name STARTS WITH $prefix RETURN n.name AS name LIMIT $limit
UNION
MATCH (n:SYS_Policy) WHERE n.name IS NOT NULL RETURN n.name AS name LIMIT $limit
