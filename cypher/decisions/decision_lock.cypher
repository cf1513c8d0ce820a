// Locks the decision $uid, or $id where that is nobody's external id, until the transaction ends, and gives what it says now: with its reasons, its newest review and what it was deliberated by.
CALL () {
  MATCH (d:Decision {uid: $uid}) RETURN d
  UNION
  MATCH (d:Decision {id: $id}) WHERE NOT EXISTS { MATCH (:Decision {external_id: $id}) } RETURN d
}
SET d.locked_by_nomograph = true
REMOVE d.locked_by_nomograph
WITH d
RETURN properties(d) AS decision, datetime() AS now,
  COLLECT { MATCH (d)-[because:BECAUSE]->(r:Reason) RETURN r {.type, .text, .strength} ORDER BY because.position } AS reasons,
  COLLECT { MATCH (d)-[:HAS_REVIEW]->(r:Review) RETURN properties(r) ORDER BY r.number DESC LIMIT 1 } AS reviews,
  COLLECT { MATCH (d)-[:DELIBERATED_BY]->(e:TraceEvent) WHERE e.type IS :: STRING NOT NULL RETURN DISTINCT e.type } AS deliberated
