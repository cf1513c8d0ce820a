// Returns a page of the contents of atlases, by id after ($after_name, $after_id), with the last recorded version. $limit.
MATCH (n:Atlas)
WHERE n.atlas_id >= $after_name AND (n.atlas_id > $after_name OR elementId(n) > $after_id)
WITH n ORDER BY n.atlas_id, elementId(n) LIMIT $limit
RETURN elementId(n) AS id, 'Atlas' AS label, n.atlas_id AS name, properties(n) AS properties, [(n)-[l:HAS_CONTEXT]->(x:Context) | type(l) + ' ' + coalesce(x.context_id, '')] AS links, [] AS rows,
       [(n)-[:CURRENT_VERSION]->(v) | v.hash][0] AS recorded
