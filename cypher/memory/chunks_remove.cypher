// Deletes the chunks $uids with their vectors.
UNWIND $uids AS uid
MATCH (c:Chunk {uid: uid})
CALL (c) { MATCH (c)<-[:OF]-(e:ChunkEmbedding) DETACH DELETE e }
DETACH DELETE c
