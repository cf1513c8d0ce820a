// Returns the session of each of $asked {n, session, key, workspace, connection}: the one whose id or uid is session. Without session it is the last ambient session of the agent key in workspace and connection that has not ended and was not idle for $idle milliseconds. A request without a match has no row. open: ids of the governed sessions that a call without session may mean if clients cannot be distinguished.
UNWIND $asked AS row
CALL (row) {
  CALL (row) {
    MATCH (s:Session {id: row.session}) RETURN s, 1 AS choice
    UNION
    MATCH (s:Session {uid: row.session}) RETURN s, 2 AS choice
    UNION
    MATCH (s:Session) USING INDEX s:Session(agent, workspace, connection, last_at)
    WHERE row.session IS NULL AND s.agent = row.key AND s.workspace = row.workspace AND s.connection = row.connection AND s.last_at > datetime() - duration({milliseconds: $idle}) AND s.ambient AND s.ended_at IS NULL
    RETURN s, 3 AS choice ORDER BY s.last_at DESC LIMIT 1
  }
  RETURN s ORDER BY choice LIMIT 1
}
CALL (row) {
  MATCH (o:Session) USING INDEX o:Session(agent, workspace, connection, last_at)
  WHERE row.session IS NULL AND row.connection = '' AND o.agent = row.key AND o.workspace = row.workspace AND o.connection = '' AND o.last_at > datetime() - duration({milliseconds: $idle}) AND o.ambient AND o.ended_at IS NULL
    AND o.goal IS NOT NULL
  WITH o ORDER BY o.last_at DESC LIMIT 4
  RETURN collect(o.id) AS open
}
RETURN row.n AS n, s.uid AS uid, s.id AS id, s.agent AS agent, s.goal AS goal, s.atlases AS atlases, s.risk_tier AS risk_tier, s.started_at AS started_at, s.ended_at AS ended_at,
       s.head AS head, s.count AS count, open, datetime() AS now
