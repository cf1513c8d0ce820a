// Ids of atlases, each with its name as title: those that begin with $prefix, at most $limit, of those that the caller may see.
MATCH (a:Atlas) WHERE a.atlas_id STARTS WITH $prefix AND true /* visible: a:Atlas */
RETURN a.atlas_id AS name, a.name AS title ORDER BY name LIMIT $limit
