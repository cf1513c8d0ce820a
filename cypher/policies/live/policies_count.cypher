// Returns the number of policies. $tables, $active, $text, $facets as in policies_page: null for any.
MATCH (p:SYS_Policy)
WHERE p.name >= ''
  AND ($tables IS NULL OR p.decision_table IN $tables)
  AND ($active IS NULL OR p.active = $active)
  AND ($facets IS NULL OR (p.facet_key IS NOT NULL) = $facets)
  AND ($text IS NULL OR toLower(toStringOrNull(p.name)) CONTAINS $text OR toLower(toStringOrNull(p.description)) CONTAINS $text
       OR toLower(toStringOrNull(p.rule)) CONTAINS $text)
RETURN count(p) AS total
