// Returns at most $limit intents, newest first, after ($at, $uid), or from the newest if $at is null. $agent: key of an agent, null for any.
CALL () {
  MATCH (i:Intent) USING INDEX SEEK i:Intent(at, uid)
  WHERE $agent IS NULL AND i.at <= coalesce($at, datetime('9999-12-31')) AND i.uid >= '' AND ($at IS NULL OR i.at < $at OR i.uid < $uid)
    AND true /* visible: i:Intent */
  RETURN i ORDER BY i.at DESC, i.uid DESC LIMIT $limit
  UNION ALL
  MATCH (i:Intent) USING INDEX SEEK i:Intent(agent_key, at, uid)
  WHERE i.agent_key = $agent AND i.at <= coalesce($at, datetime('9999-12-31')) AND i.uid >= '' AND ($at IS NULL OR i.at < $at OR i.uid < $uid)
    AND true /* visible: i:Intent */
  RETURN i ORDER BY i.at DESC, i.uid DESC LIMIT $limit
}
RETURN properties(i) AS intent ORDER BY i.at DESC, i.uid DESC LIMIT $limit
