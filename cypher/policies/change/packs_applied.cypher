// Returns the applied pack $name, or all by name for null, except atlases that the caller may not see, with the nodes they created, and those they own with their links and last applied content and chosen mode.
MATCH (p:SYS_Pack) WHERE (EXISTS { (p)-[:OWNS]->(a:Atlas) WHERE true /* visible: a:Atlas */ } OR NOT EXISTS { (p)-[:OWNS]->(:Atlas) }) AND ($name IS NULL OR p.name = $name)
RETURN toStringOrNull(p.name) AS name, toStringOrNull(p.version) AS version, toStringOrNull(p.description) AS description, p.applied_at AS applied_at, toStringOrNull(p.applied_by) AS applied_by, p.brought AS brought, COLLECT {
  MATCH (p)-[o:OWNS]->(n)
  RETURN {section: o.section, key: o.key, applied: o.applied, mode: o.mode, properties: properties(n),
          links: [(n)-[l:GOVERNED_BY|USES_THRESHOLD|FEEDS_INTO|HAS_ROW|HAS_CONTEXT]->(x) | {type: type(l), key: CASE WHEN x:SYS_DecisionTable THEN coalesce(x.table_id, x.name, '') ELSE coalesce(x.row_id, x.context_id, x.name, '') END}]}
} AS nodes
ORDER BY name
