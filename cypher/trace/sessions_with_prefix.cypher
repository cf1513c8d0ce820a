// Returns the ids of a few sessions whose ids or uids begin with $prefix.
CALL () {
  MATCH (s:Session) WHERE s.id STARTS WITH $prefix RETURN s LIMIT 6
  UNION
  MATCH (s:Session) WHERE s.uid STARTS WITH $prefix RETURN s LIMIT 6
}
RETURN s.id AS id ORDER BY id LIMIT 6
