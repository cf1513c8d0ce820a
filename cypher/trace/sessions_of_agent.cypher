// Returns sessions of the agent whose key is $agent, the last used first, before ($before, $before_uid). $limit.
MATCH (s:Session) USING INDEX SEEK s:Session(agent, last_at, uid)
WHERE s.agent = $agent AND s.last_at <= $before AND s.uid >= ''
WITH s ORDER BY s.agent DESC, s.last_at DESC, s.uid DESC
WHERE CASE WHEN s.last_at = $before THEN s.uid < $before_uid ELSE true END
RETURN s.uid AS uid, s.id AS id, s.agent AS agent, s.workspace AS workspace, s.ambient AS ambient, s.started_at AS started_at,
       s.last_at AS last_at, s.ended_at AS ended_at, s.head AS head, s.count AS count
LIMIT $limit
