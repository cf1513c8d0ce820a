// Deletes the text and the vectors of the chunks $uids. Hash and position remain, with $by and $reason.
UNWIND $uids AS uid
MATCH (c:Chunk {uid: uid})
CALL (c) { MATCH (c)<-[:OF]-(e:ChunkEmbedding) DETACH DELETE e }
CREATE (:ForgottenChunk {uid: c.uid, schema_version: 1, session: c.session, position: c.position, hash: c.hash, kind: c.kind, first: c.first, last: c.last,
  forgotten_at: datetime(), forgotten_by: $by, reason: $reason})
WITH c, c.project AS project, c.session AS session, c.tokens AS tokens
DETACH DELETE c
RETURN project, session, tokens
