// Returns at most $limit contexts of $atlas (null: any) that were never given, by atlas and id.
MATCH (a:Atlas)-[:HAS_CONTEXT]->(c:Context)
WHERE ($atlas IS NULL OR a.atlas_id = $atlas) AND NOT EXISTS { (c)<-[:GAVE]-() }
RETURN a.atlas_id AS atlas_id, c.context_id AS context_id, c.name AS name, c.inject_mode AS inject_mode
ORDER BY atlas_id, context_id LIMIT $limit
