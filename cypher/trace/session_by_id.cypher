// The session whose id or uid is $session, and a few whose ids or uids begin with $prefix (empty: none), in that order of choice.
CALL () {
  MATCH (s:Session {id: $session}) RETURN s, 1 AS choice
  UNION
  MATCH (s:Session {uid: $session}) RETURN s, 2 AS choice
  UNION
  MATCH (s:Session) WHERE $prefix <> '' AND s.id STARTS WITH $prefix RETURN s, 3 AS choice LIMIT 6
  UNION
  MATCH (s:Session) WHERE $prefix <> '' AND s.uid STARTS WITH $prefix RETURN s, 3 AS choice LIMIT 6
}
WITH s, min(choice) AS choice
RETURN s.uid AS uid, s.id AS id, s.agent AS agent, s.workspace AS workspace, s.ambient AS ambient, s.started_at AS started_at,
       s.last_at AS last_at, s.ended_at AS ended_at, s.head AS head, s.count AS count, s.consumed AS consumed, choice
ORDER BY choice LIMIT 6
