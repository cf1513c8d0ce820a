// Returns a page of decision tables by id, after ($after_name, $after_id): hit policy, and the numbers of rows and thresholds. $limit.
MATCH (t:SYS_DecisionTable)
WITH t, toStringOrNull(coalesce(t.table_id, t.name)) AS name
WHERE name >= $after_name AND (name > $after_name OR elementId(t) > $after_id)
WITH t, name ORDER BY name, elementId(t) LIMIT $limit
RETURN elementId(t) AS id, name, name AS table_id, t.label AS label, t.hit_policy AS hit_policy,
       COUNT { (t)-[:HAS_ROW]->() } AS rows, COUNT { (t)-[:USES_THRESHOLD]->() } AS thresholds
ORDER BY name, id
