// List policies and thresholds of a decision table.
// $table: string, id of the table, full or up to its first underscore
MATCH (t:SYS_DecisionTable)
WHERE t.table_id = $table OR t.table_id STARTS WITH $table + '_'
OPTIONAL MATCH (p:SYS_Policy)-[:GOVERNED_BY]->(t)
WITH t, collect(p {.name, .active}) AS policies
OPTIONAL MATCH (t)-[:USES_THRESHOLD]->(x:SYS_Threshold)
RETURN t.table_id AS table, policies, collect(x {.name, .value, .unit}) AS thresholds
ORDER BY table
