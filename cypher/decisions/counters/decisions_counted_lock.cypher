// Locks the decisions $uids, in that order, until the transaction ends, and returns what counts of them.
UNWIND $uids AS uid
MATCH (d:Decision {uid: uid})
SET d.locked_by_nomograph = true
REMOVE d.locked_by_nomograph
WITH d
RETURN d.uid AS uid, d:Uncounted AS uncounted, d.counted_as AS counted_as, d {.confidence, .category, .stakes, .project, .agent, .pattern, .created_at} AS decision,
       COLLECT { MATCH (d)-[:BECAUSE]->(r:Reason) RETURN r {.type, .strength} } AS reasons,
       COLLECT { MATCH (d)-[:HAS_REVIEW]->(r:Review {in_force: true}) RETURN r {.outcome, .at, .confidence} ORDER BY r.number DESC LIMIT 1 } AS reviews
