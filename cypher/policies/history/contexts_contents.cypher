// Returns a page of the contents of contexts, by id after ($after_name, $after_id), with the last recorded version. $limit.
MATCH (n:Context)
WHERE n.context_id >= $after_name AND (n.context_id > $after_name OR elementId(n) > $after_id) AND EXISTS { (:Atlas)-[:HAS_CONTEXT]->(n) }
WITH n ORDER BY n.context_id, elementId(n) LIMIT $limit
RETURN elementId(n) AS id, 'Context' AS label, n.context_id AS name, properties(n) AS properties, [] AS links, [] AS rows,
       [(n)-[:CURRENT_VERSION]->(v) | v.hash][0] AS recorded
