// For each of $asked {n, session, key, workspace} the session whose id or uid is session; without one the last ambient session of the agent key in workspace that has not ended, unless idle for $idle milliseconds. Those that mean none have no row.
UNWIND $asked AS row
CALL (row) {
  CALL (row) {
    MATCH (s:Session {id: row.session}) RETURN s, 1 AS choice
    UNION
    MATCH (s:Session {uid: row.session}) RETURN s, 2 AS choice
    UNION
    MATCH (s:Session) USING INDEX s:Session(agent, workspace, last_at)
    WHERE row.session IS NULL AND s.agent = row.key AND s.workspace = row.workspace AND s.last_at > datetime() - duration({milliseconds: $idle}) AND s.ambient AND s.ended_at IS NULL
    RETURN s, 3 AS choice ORDER BY s.last_at DESC LIMIT 1
  }
  RETURN s ORDER BY choice LIMIT 1
}
RETURN row.n AS n, s.uid AS uid, s.id AS id, s.agent AS agent, s.goal AS goal, s.atlases AS atlases, s.risk_tier AS risk_tier, s.started_at AS started_at, s.ended_at AS ended_at,
       s.head AS head, s.count AS count, datetime() AS now
