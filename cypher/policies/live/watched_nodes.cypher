// Returns the policies with one of $policies and the thresholds with one of $thresholds, like reads by name, with the last recorded version.
MATCH (p:SYS_Policy)
WHERE p.name IN $policies
RETURN 'policy' AS kind, elementId(p) AS id, properties(p) AS properties,
       [(p)-[l:GOVERNED_BY|USES_THRESHOLD]->(x) | type(l) + ' ' + CASE WHEN x:SYS_DecisionTable THEN coalesce(x.table_id, x.name, '') ELSE coalesce(x.name, '') END] AS links,
       coalesce([(p)-[:CURRENT_VERSION]->(v) | v.hash][0], '') AS recorded
UNION ALL
MATCH (t:SYS_Threshold)
WHERE t.name IN $thresholds
RETURN 'threshold' AS kind, elementId(t) AS id, properties(t) AS properties, [] AS links,
       coalesce([(t)-[:CURRENT_VERSION]->(v) | v.hash][0], '') AS recorded
