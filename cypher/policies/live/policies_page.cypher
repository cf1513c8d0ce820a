// Returns a page of policies by name, after ($after_name, $after_id). $tables, $active, $text, $facets (true: only with a facet_key): null for any. $limit.
MATCH (p:SYS_Policy)
WHERE p.name >= $after_name
  AND (p.name > $after_name OR elementId(p) > $after_id)
  AND ($tables IS NULL OR p.decision_table IN $tables)
  AND ($active IS NULL OR p.active = $active)
  AND ($facets IS NULL OR (p.facet_key IS NOT NULL) = $facets)
  AND ($text IS NULL OR toLower(toStringOrNull(p.name)) CONTAINS $text OR toLower(toStringOrNull(p.description)) CONTAINS $text
       OR toLower(toStringOrNull(p.rule)) CONTAINS $text)
RETURN elementId(p) AS id, p.name AS name, p.active AS active, p.decision_table AS decision_table, p.facet_key AS facet_key,
       properties(p) AS properties, [(p)-[:USES_THRESHOLD]->(t) | t.name] AS uses
ORDER BY p.name, elementId(p)
LIMIT $limit
