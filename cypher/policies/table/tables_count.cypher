// Returns the number of decision tables with an id. No parameters.
MATCH (t:SYS_DecisionTable)
WHERE toStringOrNull(coalesce(t.table_id, t.name)) IS NOT NULL
RETURN count(t) AS total
