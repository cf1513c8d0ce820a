// Returns the session whose uid or id is $session. Nobody chooses a uid, so an id that equals the uid of another session does not take its place.
CALL () {
  MATCH (s:Session {uid: $session}) RETURN s, 1 AS choice
  UNION
  MATCH (s:Session {id: $session}) RETURN s, 2 AS choice
}
RETURN s.uid AS uid, s.id AS id, s.agent AS agent, s.workspace AS workspace, s.ambient AS ambient, s.started_at AS started_at,
       s.last_at AS last_at, s.ended_at AS ended_at, s.head AS head, s.count AS count, s.consumed AS consumed, s.kind AS kind
ORDER BY choice LIMIT 1
