// Locks the decisions $uids, which are sorted, and removes their markers. Returns each with its reasons, the current review, its session, and its existing chunk.
UNWIND $uids AS uid
MATCH (d:Decision {uid: uid})
SET d.locked_by_nomograph = true
REMOVE d.locked_by_nomograph
WITH d WHERE d:Unremembered
REMOVE d:Unremembered
WITH d
OPTIONAL MATCH (c:Chunk {decision: d.uid})
OPTIONAL MATCH (f:ForgottenChunk {decision: d.uid})
RETURN properties(d) AS decision, d:Retracted AS retracted, f IS NOT NULL AS forgotten,
       COLLECT { MATCH (d)-[because:BECAUSE]->(r:Reason) RETURN r {.type, .text} ORDER BY because.position } AS reasons,
       COLLECT { MATCH (d)-[:HAS_REVIEW]->(r:Review {in_force: true}) RETURN properties(r) LIMIT 1 } AS reviews,
       head(COLLECT { MATCH (d)-[:DELIBERATED_BY]->(e:TraceEvent) RETURN e.session ORDER BY e.seq DESC LIMIT 1 }) AS session,
       c.uid AS chunk, c.hash AS hash, coalesce(c.tokens, 0) AS tokens, coalesce(c.project, '') AS project, c.visibility AS visibility
