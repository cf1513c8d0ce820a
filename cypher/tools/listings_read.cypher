// Returns whether conversations were imported, and whether an atlas is loaded. No parameters.
CALL () {
  OPTIONAL MATCH (s:Session) USING INDEX s:Session(source, external_id)
  WHERE s.source IS NOT NULL AND s.source <> 'notes' AND s.external_id IS NOT NULL
  WITH s LIMIT 1
  RETURN s IS NOT NULL AS conversations
}
CALL () {
  OPTIONAL MATCH (a:Atlas)
  WITH a LIMIT 1
  RETURN a IS NOT NULL AS atlases
}
RETURN conversations, atlases
