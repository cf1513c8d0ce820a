// Returns ids of atlases that begin with $prefix and that the caller may see, at most $limit, with the name as title.
MATCH (a:Atlas) WHERE a.atlas_id STARTS WITH $prefix AND true /* visible: a:Atlas */
RETURN a.atlas_id AS name, a.name AS title ORDER BY name LIMIT $limit
