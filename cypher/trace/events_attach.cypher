// Attaches events to $decisions {uid, events: [uid]} after those already attached.
UNWIND $decisions AS row
MATCH (d:Decision {uid: row.uid})
SET d.held = true // lock, so that no two events get the same position
REMOVE d.held
WITH d, row
CALL (d) {
  MATCH (d)-[r:DELIBERATED_BY]->()
  RETURN coalesce(max(r.position), 0) AS last
}
UNWIND range(1, size(row.events)) AS i
MATCH (e:TraceEvent {uid: row.events[i - 1]})
CREATE (d)-[:DELIBERATED_BY {position: last + i}]->(e)
RETURN e.uid AS uid, last + i AS step
