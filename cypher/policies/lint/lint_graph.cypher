// Returns all policies, thresholds and decision tables with their rows and links, for lint. No parameters.
CALL () {
  MATCH (p:SYS_Policy)
  RETURN collect({id: elementId(p), properties: properties(p),
                  uses: [(p)-[:USES_THRESHOLD]->(h) WHERE h.name IS :: STRING NOT NULL | h.name], tables: [(p)-[:GOVERNED_BY]->(t) | toStringOrNull(coalesce(t.table_id, t.name))]}) AS policies
}
CALL () {
  MATCH (h:SYS_Threshold)
  RETURN collect({id: elementId(h), properties: properties(h)}) AS thresholds
}
CALL () {
  MATCH (t:SYS_DecisionTable)
  RETURN collect({id: elementId(t), properties: properties(t), rows: [(t)-[:HAS_ROW]->(r) | {id: elementId(r), properties: properties(r)}],
                  uses: [(t)-[:USES_THRESHOLD]->(h) WHERE h.name IS :: STRING NOT NULL | h.name], feeds: [(t)-[:FEEDS_INTO]->(x) WHERE coalesce(x.table_id, x.name) IS NOT NULL | toString(coalesce(x.table_id, x.name))]}) AS tables
}
RETURN policies, thresholds, tables
