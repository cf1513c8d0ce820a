// Finds or creates $sessions {n, key, workspace, connection, id, uid, project} of $agents {key, name, uid} and locks them. Without an id it is the agent's last one in the workspace and connection that was not idle for $idle milliseconds.
CYPHER replan=skip
UNWIND $agents AS agent
MERGE (a:Agent {key: agent.key})
  ON CREATE SET a.name = agent.name, a.uid = agent.uid, a.schema_version = 1
SET a.held = true // blocks other new sessions of this agent
REMOVE a.held
WITH count(*) AS held
UNWIND $sessions AS want
CALL (want) {
  OPTIONAL MATCH (s:Session) USING INDEX s:Session(agent, workspace, connection, last_at)
  WHERE want.id IS NULL AND s.agent = want.key AND s.workspace = want.workspace AND s.connection = want.connection
    AND s.last_at > datetime() - duration({milliseconds: $idle}) AND s.ambient AND s.ended_at IS NULL
  RETURN s.id AS ambient ORDER BY s.last_at DESC LIMIT 1
}
MERGE (s:Session {id: coalesce(want.id, ambient, want.uid)})
  ON CREATE SET s.uid = want.uid, s.schema_version = 1, s.agent = want.key, s.workspace = want.workspace, s.connection = want.connection, s.project = want.project, s.ambient = want.id IS NULL,
                s.started_at = datetime(), s.last_at = datetime(), s.count = 0, s.consumed = 0
SET s.held = true // read the end only after this lock
REMOVE s.held
WITH want, s
OPTIONAL MATCH (last:TraceEvent {session: s.uid, seq: CASE WHEN s.count IS :: INTEGER THEN s.count - 1 END})
RETURN want.n AS n, s.uid AS uid, s.id AS id, s.agent AS agent, s.workspace AS workspace, s.started_at AS started_at, s.ended_at AS ended_at,
       s.head AS head, s.count AS count, last.at AS at, datetime.realtime() AS now
