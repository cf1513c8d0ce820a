// Returns sessions whose ids begin with $prefix, in order, at most $limit, of the agent $agent (null: any): the id as name, the agent, and the time of the last event.
MATCH (s:Session) WHERE s.id STARTS WITH $prefix AND ($agent IS NULL OR s.agent = $agent)
RETURN s.id AS name, coalesce(toStringOrNull(s.agent), '') + coalesce(', ' + left(toStringOrNull(s.last_at), 16), '') AS title
ORDER BY name LIMIT $limit
