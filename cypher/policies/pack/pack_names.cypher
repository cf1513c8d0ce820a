// Names of packs that were applied: those that begin with $prefix, at most $limit.
MATCH (p:SYS_Pack) WHERE p.name STARTS WITH $prefix RETURN p.name AS name ORDER BY name LIMIT $limit
