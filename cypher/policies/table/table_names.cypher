// Returns ids of decision tables, complete and up to the first underscore: those that begin with $prefix first, then any, at most $limit of each.
MATCH (t:SYS_DecisionTable)
WITH toStringOrNull(coalesce(t.table_id, t.name)) AS id WHERE id STARTS WITH $prefix
UNWIND [id, split(id, '_')[0]] AS name
RETURN DISTINCT name LIMIT $limit
UNION
MATCH (t:SYS_DecisionTable)
WITH toStringOrNull(coalesce(t.table_id, t.name)) AS id WHERE id IS NOT NULL
UNWIND [id, split(id, '_')[0]] AS name
RETURN DISTINCT name LIMIT $limit
