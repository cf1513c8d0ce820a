// Returns the decision tables whose id, or its part before the first underscore, is $id.
MATCH (t:SYS_DecisionTable)
WITH t, coalesce(t.table_id, t.name) AS table_id
WHERE table_id = $id OR table_id STARTS WITH $id + '_'
RETURN table_id, coalesce(t.label, t.name) AS label
ORDER BY table_id
