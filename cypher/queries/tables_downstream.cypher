// List decision tables that read the result of a table. Returns the number of steps.
// $table: string, id of the table, full or up to its first underscore
MATCH (t:SYS_DecisionTable)
WHERE t.table_id = $table OR t.table_id STARTS WITH $table + '_'
MATCH path = (t)-[:FEEDS_INTO*1..10]->(reached:SYS_DecisionTable)
RETURN reached.table_id AS table, min(length(path)) AS steps
ORDER BY steps, table
