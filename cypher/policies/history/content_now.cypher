// Returns the content of each node of the $label called $name: properties, links and rows that belong to a version, and the last recorded version.
CALL () {
  MATCH (n:SYS_Policy {name: $name}) WHERE $label = 'SYS_Policy' RETURN n
  UNION
  MATCH (n:SYS_Threshold {name: $name}) WHERE $label = 'SYS_Threshold' RETURN n
  UNION
  MATCH (n:SYS_DecisionTable {table_id: $name}) WHERE $label = 'SYS_DecisionTable' RETURN n
  UNION
  MATCH (n:Atlas {atlas_id: $name}) WHERE $label = 'Atlas' RETURN n
  UNION
  MATCH (n:Context {context_id: $name}) WHERE $label = 'Context' RETURN n
}
RETURN elementId(n) AS id, $label AS label, $name AS name, properties(n) AS properties,
       [(n)-[l:GOVERNED_BY|USES_THRESHOLD|FEEDS_INTO|HAS_CONTEXT]->(x) WHERE $label <> 'SYS_Threshold' AND ($label <> 'SYS_Policy' OR type(l) <> 'FEEDS_INTO') | type(l) + ' ' + CASE WHEN x:SYS_DecisionTable THEN coalesce(x.table_id, x.name, '') WHEN x:Context THEN coalesce(x.context_id, '') ELSE coalesce(x.name, '') END] AS links,
       [(n)-[:HAS_ROW]->(row) WHERE $label = 'SYS_DecisionTable' | properties(row)] AS rows,
       [(n)-[:CURRENT_VERSION]->(v) | v.hash][0] AS recorded
