// Returns names of applied packs that begin with $prefix, at most $limit, except atlases that the caller may not see.
MATCH (p:SYS_Pack) WHERE p.name STARTS WITH $prefix AND (EXISTS { (p)-[:OWNS]->(a:Atlas) WHERE true /* visible: a:Atlas */ } OR NOT EXISTS { (p)-[:OWNS]->(:Atlas) }) RETURN p.name AS name ORDER BY name LIMIT $limit
