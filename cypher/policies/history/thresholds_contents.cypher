// Returns a page of the contents of thresholds, by name after ($after_name, $after_id), with the last recorded version, and the clock. $limit.
MATCH (n:SYS_Threshold)
WHERE n.name >= $after_name AND (n.name > $after_name OR elementId(n) > $after_id)
WITH n ORDER BY n.name, elementId(n) LIMIT $limit
RETURN elementId(n) AS id, 'SYS_Threshold' AS label, n.name AS name, properties(n) AS properties,
       [] AS links, [] AS rows,
       [(n)-[:CURRENT_VERSION]->(v) | v.hash][0] AS recorded
