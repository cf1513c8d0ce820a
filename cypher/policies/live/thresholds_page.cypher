// Returns a page of thresholds by name, after ($after_name, $after_id). $tables, $text, $names: null for any. $limit.
MATCH (t:SYS_Threshold)
WHERE t.name >= $after_name
  AND (t.name > $after_name OR elementId(t) > $after_id)
  AND ($tables IS NULL OR t.decision_table IN $tables)
  AND ($names IS NULL OR t.name IN $names)
  AND ($text IS NULL OR toLower(toStringOrNull(t.name)) CONTAINS $text OR toLower(toStringOrNull(t.rationale)) CONTAINS $text
       OR toLower(toStringOrNull(t.description)) CONTAINS $text)
RETURN elementId(t) AS id, t.name AS name, t.value AS value, t.unit AS unit, t.decision_table AS decision_table,
       coalesce(t.domain_scope, t.scope) AS scope, t {.description, .rationale} AS properties
ORDER BY t.name, elementId(t)
LIMIT $limit
