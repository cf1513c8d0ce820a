// Returns the packs of the thresholds called $name, and decision tables with rows that are linked to one of them or mention the name. At most $limit of each.
RETURN COLLECT { MATCH (pack:SYS_Pack)-[:OWNS]->(h:SYS_Threshold {name: $name}) RETURN DISTINCT pack.name AS pack ORDER BY pack LIMIT $limit } AS packs,
  COLLECT {
    MATCH (t:SYS_DecisionTable)-[:USES_THRESHOLD]->(h:SYS_Threshold {name: $name})
    WITH DISTINCT toString(coalesce(t.table_id, t.name, '')) AS table ORDER BY table LIMIT $limit
    RETURN table
  } AS linked,
  COLLECT {
    MATCH (t:SYS_DecisionTable)-[:HAS_ROW]->(r)
    WHERE any(key IN keys(r) WHERE toStringOrNull(r[key]) CONTAINS $name)
    WITH t, r, toString(coalesce(t.table_id, t.name, '')) AS table ORDER BY table, elementId(r) LIMIT 1000
    RETURN {table: table, id: elementId(r), properties: properties(r)}
  } AS rows
