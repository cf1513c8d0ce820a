// Returns a page of the contents of decision tables, by table_id after ($after_name, $after_id), with the last recorded version, and the clock. $limit.
MATCH (n:SYS_DecisionTable)
WHERE n.table_id >= $after_name AND (n.table_id > $after_name OR elementId(n) > $after_id)
WITH n ORDER BY n.table_id, elementId(n) LIMIT $limit
RETURN elementId(n) AS id, 'SYS_DecisionTable' AS label, n.table_id AS name, properties(n) AS properties,
       [(n)-[l:GOVERNED_BY|USES_THRESHOLD|FEEDS_INTO]->(x) | type(l) + ' ' + CASE WHEN x:SYS_DecisionTable THEN coalesce(x.table_id, x.name, '') ELSE coalesce(x.name, '') END] AS links,
       [(n)-[:HAS_ROW]->(row) | properties(row)] AS rows,
       [(n)-[:CURRENT_VERSION]->(v) | v.hash][0] AS recorded
