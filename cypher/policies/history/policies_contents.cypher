// Returns a page of the contents of policies, by name after ($after_name, $after_id), with the last recorded version, and the clock. $limit.
MATCH (n:SYS_Policy)
WHERE n.name >= $after_name AND (n.name > $after_name OR elementId(n) > $after_id)
WITH n ORDER BY n.name, elementId(n) LIMIT $limit
RETURN elementId(n) AS id, 'SYS_Policy' AS label, n.name AS name, properties(n) AS properties,
       [(n)-[l:GOVERNED_BY|USES_THRESHOLD]->(x) | type(l) + ' ' + CASE WHEN x:SYS_DecisionTable THEN coalesce(x.table_id, x.name, '') ELSE coalesce(x.name, '') END] AS links, [] AS rows,
       [(n)-[:CURRENT_VERSION]->(v) | v.hash][0] AS recorded
