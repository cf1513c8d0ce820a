// Locks the decisions $called [{uid, id}], each by uid or by an id that is not an external id, in the order of their uids, until the transaction ends. Returns the positions in the list that identify it, and its properties with reasons, newest review and deliberation.
UNWIND range(0, size($called) - 1) AS place
CALL (place) {
  WITH $called[place].uid AS uid WHERE uid IS NOT NULL
  MATCH (d:Decision {uid: uid}) RETURN d
  UNION
  WITH $called[place].id AS id WHERE id IS NOT NULL
  MATCH (d:Decision {id: id}) WHERE NOT EXISTS { MATCH (:Decision {external_id: id}) } RETURN d
}
WITH d, collect(place) AS places ORDER BY d.uid
SET d.locked_by_nomograph = true
REMOVE d.locked_by_nomograph
WITH d, places
RETURN places, properties(d) AS decision, datetime() AS now,
  COLLECT { MATCH (d)-[because:BECAUSE]->(r:Reason) RETURN r {.type, .text, .strength} ORDER BY because.position } AS reasons,
  COLLECT { MATCH (d)-[:HAS_REVIEW]->(r:Review) RETURN properties(r) ORDER BY r.number DESC LIMIT 1 } AS reviews,
  COLLECT { MATCH (d)-[:DELIBERATED_BY]->(e:TraceEvent) WHERE e.type IS :: STRING NOT NULL RETURN DISTINCT e.type } AS deliberated
