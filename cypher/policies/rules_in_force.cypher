// All active guardrails, and the thresholds called one of $names or, for a scope, $scoped; each with what its version is made of and the version recorded last. And the clock.
CALL () {
  MATCH (p:SYS_Policy) WHERE p.requires IS NOT NULL AND p.active = true RETURN p
  UNION
  MATCH (p:SYS_Policy) WHERE p.forbids_pattern IS NOT NULL AND p.active = true RETURN p
}
WITH collect({id: elementId(p), properties: properties(p), twins: COUNT { (:SYS_Policy {name: p.name}) },
              links: [(p)-[l:GOVERNED_BY|USES_THRESHOLD]->(x) | type(l) + ' ' + CASE WHEN x:SYS_DecisionTable THEN coalesce(x.table_id, x.name, '') ELSE coalesce(x.name, '') END],
              recorded: [(p)-[:CURRENT_VERSION]->(v) | v.hash][0]}) AS rules
CALL () {
  CALL () {
    UNWIND $names AS name MATCH (t:SYS_Threshold {name: name}) RETURN t
    UNION
    UNWIND $scoped AS name MATCH (t:SYS_Threshold) WHERE t.name STARTS WITH name + '_' AND coalesce(t.domain_scope, t.scope) IS NOT NULL RETURN t
  }
  RETURN collect({id: elementId(t), properties: properties(t), recorded: [(t)-[:CURRENT_VERSION]->(v) | v.hash][0]}) AS thresholds
}
RETURN rules, thresholds, datetime() AS now
