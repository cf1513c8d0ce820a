// Returns the uid of the session whose id, uid or external id is $session.
CALL () {
  MATCH (s:Session {id: $session}) RETURN s
  UNION
  MATCH (s:Session {uid: $session}) RETURN s
  UNION
  MATCH (s:Session) USING INDEX SEEK s:Session(source, external_id)
  WHERE s.source IN ['claude-code', 'cursor', 'codex', 'gemini', 'copilot', 'goose', 'opencode', 'chatgpt', 'markdown', 'json'] AND s.external_id = $session
  RETURN s
}
RETURN s.uid AS uid LIMIT 1
