// Returns the policies with one of $names, at most 20 per name, with the links that belong to their versions.
UNWIND $names AS name
CALL (name) {
  MATCH (p:SYS_Policy {name: name})
  RETURN p LIMIT 20
}
RETURN elementId(p) AS id, properties(p) AS properties,
       [(p)-[l:GOVERNED_BY|USES_THRESHOLD]->(x) | type(l) + ' ' + CASE WHEN x:SYS_DecisionTable THEN coalesce(x.table_id, x.name, '') ELSE coalesce(x.name, '') END] AS links
