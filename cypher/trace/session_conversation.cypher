// Returns the place of the session $uid with the id $id in memory, {project, session}, if the caller may see it. A conversation that was imported under this id has precedence.
CALL () {
  MATCH (c:Session) USING INDEX SEEK c:Session(source, external_id)
  WHERE c.source IN ['claude-code', 'cursor', 'codex', 'gemini', 'copilot', 'goose', 'opencode', 'chatgpt', 'markdown', 'json'] AND c.external_id = $id AND c.chunks > 0 AND true /* visible: c:Session */
  RETURN c, 1 AS choice
  UNION
  MATCH (c:Session {uid: $uid}) WHERE c.chunks > 0 AND true /* visible: c:Session */
  RETURN c, 2 AS choice
}
RETURN c.project AS project, c.uid AS session ORDER BY choice LIMIT 1
