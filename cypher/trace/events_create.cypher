// Adds events to the ends of $sessions {uid, head, count, events: [{uid, seq, type, at, agent, payload, prev_hash, hash}]}, which are locked.
UNWIND $sessions AS row
MATCH (s:Session {uid: row.uid})
SET s:Unremembered, s.head = row.head, s.count = row.count, s.last_at = datetime()
WITH s, row
UNWIND row.events AS event
CREATE (s)-[:RECORDED]->(:TraceEvent {uid: event.uid, schema_version: 1, session: row.uid, seq: event.seq, type: event.type, at: event.at,
  recorded_at: datetime(), agent: event.agent, payload: event.payload, prev_hash: event.prev_hash, hash: event.hash})
