// Creates or updates the chunks of decisions $chunks [{uid, decision (uid), properties}].
UNWIND $chunks AS row
MATCH (d:Decision {uid: row.decision})
MERGE (c:Chunk {decision: row.decision})
SET c = row.properties, c:UnindexedChunk
MERGE (c)-[:FROM]->(d)
