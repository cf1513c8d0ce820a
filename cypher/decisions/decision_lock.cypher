// Locks the decision with $uid until the transaction ends. Returns its properties with reasons, newest review and deliberation.
MATCH (d:Decision {uid: $uid})
SET d.locked_by_nomograph = true
REMOVE d.locked_by_nomograph
WITH d
RETURN properties(d) AS decision, datetime() AS now,
  COLLECT { MATCH (d)-[because:BECAUSE]->(r:Reason) RETURN r {.type, .text, .strength} ORDER BY because.position } AS reasons,
  COLLECT { MATCH (d)-[:HAS_REVIEW]->(r:Review) RETURN properties(r) ORDER BY r.number DESC LIMIT 1 } AS reviews,
  COLLECT { MATCH (d)-[:DELIBERATED_BY]->(e:TraceEvent) WHERE e.type IS :: STRING NOT NULL RETURN DISTINCT e.type } AS deliberated
