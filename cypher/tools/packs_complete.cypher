// Returns applied packs whose names begin with $prefix, in order, at most $limit, except atlases that the caller may not see: name and version.
MATCH (p:SYS_Pack) WHERE p.name STARTS WITH $prefix AND (EXISTS { (p)-[:OWNS]->(a:Atlas) WHERE true /* visible: a:Atlas */ } OR NOT EXISTS { (p)-[:OWNS]->(:Atlas) })
RETURN p.name AS name, coalesce(toStringOrNull(p.version), '') AS title
ORDER BY name LIMIT $limit
