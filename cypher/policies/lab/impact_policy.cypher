// Returns what is linked to the policies called $name: their packs, decision tables and thresholds, at most $limit of each.
MATCH (p:SYS_Policy {name: $name})
RETURN elementId(p) AS id, properties(p) AS properties,
  COLLECT { MATCH (pack:SYS_Pack)-[:OWNS]->(p) RETURN DISTINCT pack.name ORDER BY pack.name LIMIT $limit } AS packs,
  COLLECT { MATCH (p)-[:GOVERNED_BY]->(t:SYS_DecisionTable) RETURN DISTINCT toString(coalesce(t.table_id, t.name, '')) AS table ORDER BY table LIMIT $limit } AS tables,
  COLLECT { MATCH (p)-[:USES_THRESHOLD]->(h:SYS_Threshold) RETURN DISTINCT h.name AS name ORDER BY name LIMIT $limit } AS thresholds
ORDER BY id
LIMIT 20
