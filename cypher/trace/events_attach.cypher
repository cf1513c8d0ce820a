// Attaches events to $decisions {uid, events: [uid]}, behind what led to the decision already.
UNWIND $decisions AS row
MATCH (d:Decision {uid: row.uid})
SET d.held = true // no two take one position
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
