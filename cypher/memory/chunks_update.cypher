// Updates the chunks $chunks [{uid, session, event, decisions: [uid], properties}].
UNWIND $chunks AS row
MATCH (c:Chunk {uid: row.uid})
SET c = row.properties, c:UnindexedChunk
WITH c, row WHERE row.event IS NOT NULL
CALL (c, row) { MATCH (e:TraceEvent {session: row.session, seq: row.event}) MERGE (c)-[:FROM]->(e) }
CALL (c, row) { UNWIND row.decisions AS uid MATCH (d:Decision {uid: uid}) MERGE (c)-[:FROM]->(d) }
