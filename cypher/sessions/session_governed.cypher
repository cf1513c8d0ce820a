// Returns the session whose id or uid is $session. Without $session it is the last ambient session of the agent $key in $workspace and $connection that has not ended and was not idle for $idle milliseconds. open: ids of the governed sessions that a call without session may mean if clients cannot be distinguished.
CALL () {
  MATCH (s:Session {id: $session}) RETURN s, 1 AS choice
  UNION
  MATCH (s:Session {uid: $session}) RETURN s, 2 AS choice
  UNION
  MATCH (s:Session) USING INDEX s:Session(agent, workspace, connection, last_at)
  WHERE $session IS NULL AND s.agent = $key AND s.workspace = $workspace AND s.connection = $connection AND s.last_at > datetime() - duration({milliseconds: $idle}) AND s.ambient AND s.ended_at IS NULL
  RETURN s, 3 AS choice ORDER BY s.last_at DESC LIMIT 1
}
WITH s ORDER BY choice LIMIT 1
CALL () {
  MATCH (o:Session) USING INDEX o:Session(agent, workspace, connection, last_at)
  WHERE $session IS NULL AND $connection = '' AND o.agent = $key AND o.workspace = $workspace AND o.connection = '' AND o.last_at > datetime() - duration({milliseconds: $idle}) AND o.ambient AND o.ended_at IS NULL
    AND o.goal IS NOT NULL
  WITH o ORDER BY o.last_at DESC LIMIT 4
  RETURN collect(o.id) AS open
}
RETURN s.uid AS uid, s.id AS id, s.agent AS agent, s.goal AS goal, s.atlases AS atlases, s.risk_tier AS risk_tier, s.started_at AS started_at, s.ended_at AS ended_at,
       s.head AS head, s.count AS count, open
