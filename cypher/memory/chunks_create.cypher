// Creates $chunks [{session, event (seq, or null), decisions: [uid], properties}] and links each to its session, its first event and the decisions it describes.
UNWIND $chunks AS row
CREATE (c:Chunk:UnindexedChunk)
SET c = row.properties
WITH c, row
MATCH (s:Session {uid: row.session})
CREATE (c)-[:FROM]->(s)
WITH c, row WHERE row.event IS NOT NULL
CALL (c, row) { MATCH (e:TraceEvent {session: row.session, seq: row.event}) CREATE (c)-[:FROM]->(e) }
CALL (c, row) { UNWIND row.decisions AS uid MATCH (d:Decision {uid: uid}) CREATE (c)-[:FROM]->(d) }
