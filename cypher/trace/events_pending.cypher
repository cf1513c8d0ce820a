// Returns the session $id, otherwise the last ambient one of the agent $key in $workspace and $connection that was not idle for $idle milliseconds, with at most $limit of its newest events without a decision, newest first.
CALL () {
  MATCH (s:Session {id: $id}) RETURN s
  UNION
  MATCH (s:Session) USING INDEX s:Session(agent, workspace, connection, last_at)
  WHERE $id IS NULL AND s.agent = $key AND s.workspace = $workspace AND s.connection = $connection
    AND s.last_at > datetime() - duration({milliseconds: $idle}) AND s.ambient AND s.ended_at IS NULL
  RETURN s ORDER BY s.last_at DESC LIMIT 1
}
OPTIONAL CALL (s) {
  MATCH (e:TraceEvent) USING INDEX SEEK e:TraceEvent(session, seq)
  WHERE e.session = s.uid AND e.seq >= coalesce(CASE WHEN s.consumed IS :: INTEGER THEN s.consumed END, 0)
  WITH e ORDER BY e.session DESC, e.seq DESC
  WHERE NOT EXISTS { (:Decision)-[:DELIBERATED_BY]->(e) }
  RETURN e LIMIT $limit
}
RETURN s.uid AS session_uid, s.id AS session_id, s.agent AS agent, e.uid AS uid, e.seq AS seq, e.at AS at, e.type AS type, e.payload AS payload
