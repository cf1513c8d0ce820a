// Adds events to the ends of $sessions {n, uid, was, had, at, key, id, workspace, connection, going, head, count, events: [{uid, seq, type, at, agent, payload, prev_hash, hash, verdicts: [{properties, objections: [{version, result}]}], under: [{approval, decision, verdict}], given: [{uid, score}], need}]}. If the hash $was is null, the session is locked already. Otherwise the session must still end with that hash. The session has the id and the agent key. Without an id it is the last session of key, connection and workspace that was not idle for $idle milliseconds and, if going, has not ended. kept: n of the extended sessions.
CYPHER replan=skip
UNWIND $sessions AS row
MATCH (s:Session {uid: row.uid})
SET s.held = true // read the end only after this lock
REMOVE s.held
WITH s, row
WHERE row.was IS NULL
  OR s.head = row.was AND s.count = row.had AND s.agent = row.key AND (NOT row.going OR s.ended_at IS NULL)
    AND (row.id IS NOT NULL
      OR s.ambient AND s.ended_at IS NULL AND s.workspace = row.workspace AND s.connection = row.connection AND s.last_at > datetime() - duration({milliseconds: $idle})
        AND NOT CASE WHEN row.id IS NULL THEN EXISTS { MATCH (later:Session) WHERE later.agent = row.key AND later.workspace = row.workspace AND later.connection = row.connection AND later.last_at > s.last_at AND later.ambient AND later.ended_at IS NULL } ELSE false END) // CASE limits the search to this case
SET s:Unremembered, s.head = row.head, s.count = row.count, s.last_at = datetime()
FOREACH (event IN [e IN row.events WHERE e.type = 'session.ended'] | SET s.ended_at = coalesce(s.ended_at, datetime()))
WITH s, row
UNWIND row.events AS event
CREATE (s)-[:RECORDED]->(e:TraceEvent {uid: event.uid, schema_version: 2, session: row.uid, seq: event.seq, type: event.type, at: event.at,
  recorded_at: datetime(), agent: event.agent, payload: event.payload, prev_hash: event.prev_hash, hash: event.hash})
WITH s, row, event, e
CALL (event) {
  UNWIND event.verdicts AS verdict
  CREATE (v:Verdict)
  SET v = verdict.properties
  WITH v, verdict
  UNWIND verdict.objections AS objection
  MATCH (p:SYS_Version {hash: objection.version, of: 'SYS_Policy'}) USING INDEX p:SYS_Version(hash)
  CREATE (v)-[:APPLIED {result: objection.result}]->(p)
}
CALL (s, event, e) {
  UNWIND event.under AS under
  MATCH (a:Approval {uid: under.approval})
  SET a.session_uid = CASE WHEN a.session IS NULL OR a.session = s.id THEN s.uid ELSE a.session_uid END, a.session = coalesce(a.session, s.id)
  CREATE (e)-[:UNDER {decision: under.decision}]->(a)
  WITH a, under
  MATCH (v:Verdict {uid: under.verdict})
  MERGE (a)-[:OF]->(v)
}
CALL (row, event, e) {
  UNWIND event.given AS given
  MATCH (c:Context {uid: given.uid})
  CREATE (e)-[:GAVE {session: row.uid, need: event.need, score: given.score, at: datetime()}]->(c)
}
RETURN collect(DISTINCT row.n) AS kept, max(datetime.realtime()) AS now
