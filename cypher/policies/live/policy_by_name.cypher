// The policies called one of $names, each with the links that belong to its version.
MATCH (p:SYS_Policy)
WHERE p.name IN $names
RETURN elementId(p) AS id, properties(p) AS properties,
       [(p)-[l:GOVERNED_BY|USES_THRESHOLD]->(x) | type(l) + ' ' + CASE WHEN x:SYS_DecisionTable THEN coalesce(x.table_id, x.name, '') ELSE coalesce(x.name, '') END] AS links
LIMIT 20
