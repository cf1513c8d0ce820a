// Returns decision tables whose ids, complete or up to the first underscore, begin with $prefix, in order, at most $limit: name and purpose.
MATCH (t:SYS_DecisionTable)
WITH t, toStringOrNull(coalesce(t.table_id, t.name)) AS id
UNWIND [id, split(id, '_')[0]] AS name
WITH t, name WHERE name STARTS WITH $prefix
RETURN name, coalesce(head(collect(toStringOrNull(t.label))), '') AS title
ORDER BY name LIMIT $limit
