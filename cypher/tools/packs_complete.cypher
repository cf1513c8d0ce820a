// Packs that were applied whose names begin with $prefix, in order, at most $limit, without those of atlases that the caller may not see ($sight): name, and version.
MATCH (p:SYS_Pack) WHERE p.name STARTS WITH $prefix AND (EXISTS { (p)-[:OWNS]->(a:Atlas) WHERE ($sight IS NULL OR a.project IS NULL OR toLower(toStringOrNull(a.project)) IN $sight.projects) } OR NOT EXISTS { (p)-[:OWNS]->(:Atlas) })
RETURN p.name AS name, coalesce(toStringOrNull(p.version), '') AS title
ORDER BY name LIMIT $limit
