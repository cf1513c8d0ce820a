// The policies called one of $names, each with the links that belong to its version.
MATCH (p:SYS_Policy)
WHERE p.name IN $names
RETURN elementId(p) AS id, properties(p) AS properties,
       [(p)-[l:GOVERNED_BY|USES_THRESHOLD]->(x) | type(l) + ' ' + coalesce(x.name, x.table_id, '')] AS links
LIMIT 20
