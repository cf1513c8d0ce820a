// Every pack that was applied, in order of name, with the nodes it owns and what it last gave each. No parameters.
MATCH (p:SYS_Pack)
RETURN p.name AS name, p.version AS version, p.description AS description, p.applied_at AS applied_at, p.applied_by AS applied_by, COLLECT {
  MATCH (p)-[o:OWNS]->(n)
  RETURN {section: o.section, key: o.key, applied: o.applied, properties: properties(n)}
} AS nodes
ORDER BY name
