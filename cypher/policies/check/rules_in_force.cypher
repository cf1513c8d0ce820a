// Returns all guardrails that are not inactive (active is neither false nor missing), with the links of their versions, each as [element id of the rule, link]. Also returns the thresholds with one of $names or, for a scope, $scoped (up to $most of all if $names is null), the actions that atlases declare (JSON lists of {action_id, risk_tier}), the last recorded revision, and the clock.
// Asks the leader, because the answer must not be outdated.
CYPHER replan=skip
CALL () {
  MATCH (p:SYS_Policy) WHERE p.requires IS NOT NULL AND p.active <> false RETURN p
  UNION
  MATCH (p:SYS_Policy) WHERE p.forbids_pattern IS NOT NULL AND p.active <> false RETURN p
  UNION // again, for a rule that changes from forbids_pattern to requires between the two scans; changing twice within one statement hides it
  MATCH (p:SYS_Policy) WHERE p.requires IS NOT NULL AND p.active <> false RETURN p
}
WITH collect(p) AS rules
CALL (rules) { // one subquery for all rules takes less time than one per rule
  UNWIND rules AS p
  MATCH (p)-[l:GOVERNED_BY|USES_THRESHOLD]->(x)
  RETURN collect([elementId(p), type(l) + ' ' + CASE WHEN x:SYS_DecisionTable THEN coalesce(x.table_id, x.name, '') ELSE coalesce(x.name, '') END]) AS links
}
CALL () {
  CALL () {
    UNWIND $names AS name MATCH (t:SYS_Threshold {name: name}) RETURN t
    UNION
    UNWIND $scoped AS name MATCH (t:SYS_Threshold) WHERE t.name STARTS WITH name + '_' AND coalesce(t.domain_scope, t.scope) IS NOT NULL RETURN t
    UNION
    UNWIND CASE WHEN $names IS NULL THEN [true] ELSE [] END AS unknown MATCH (t:SYS_Threshold) WHERE t.name IS NOT NULL RETURN t LIMIT $most
  }
  RETURN collect(t) AS thresholds
}
OPTIONAL MATCH (head:SYS_Lock {name: 'rules'})
RETURN rules, links, thresholds, COLLECT { MATCH (p:SYS_Program) WHERE p.name IS NOT NULL RETURN properties(p) ORDER BY p.name } AS programs,
       COLLECT { MATCH (a:Atlas) WHERE a.actions IS :: STRING NOT NULL RETURN {actions: a.actions, project: coalesce(toStringOrNull(a.project), '')} } AS declared, coalesce(head.revision, '') AS recorded, datetime() AS now
