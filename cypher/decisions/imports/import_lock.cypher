// Locks the decisions with $uids, in that order, until the transaction ends, and returns them with their reasons and the current review.
UNWIND $uids AS uid
MATCH (d:Decision {uid: uid})
SET d.locked_by_nomograph = true
REMOVE d.locked_by_nomograph
WITH d
RETURN d.uid AS uid, properties(d) AS decision,
       COLLECT { MATCH (d)-[because:BECAUSE]->(r:Reason) RETURN r {.type, .text, .strength} ORDER BY because.position } AS reasons,
       COLLECT { MATCH (d)-[:HAS_REVIEW]->(r:Review {in_force: true}) RETURN properties(r) } AS reviews
