// Returns the number of thresholds. $tables, $text, $names as in thresholds_page: null for any.
MATCH (t:SYS_Threshold)
WHERE t.name >= ''
  AND ($tables IS NULL OR t.decision_table IN $tables)
  AND ($names IS NULL OR t.name IN $names)
  AND ($text IS NULL OR toLower(toStringOrNull(t.name)) CONTAINS $text OR toLower(toStringOrNull(t.rationale)) CONTAINS $text
       OR toLower(toStringOrNull(t.description)) CONTAINS $text)
RETURN count(t) AS total
