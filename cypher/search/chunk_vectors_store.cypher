// Stores the vectors of $rows [{uid, updated, passages: [{uid, vectors: {text: numbers}}]}], sorted by uid, made by $model with $dimensions. They replace old ones passage by passage. Chunks that changed since are skipped, and all if the index has another model.
MERGE (index:SYS_SearchIndex {name: 'chunks'})
ON CREATE SET index.model = $model, index.dimensions = $dimensions, index.passages = true, index.created_at = datetime()
WITH index WHERE index.model = $model AND index.dimensions = $dimensions
UNWIND $rows AS row
MATCH (c:Chunk {uid: row.uid})
SET c.locked_by_nomograph = true
REMOVE c.locked_by_nomograph
WITH c, row WHERE c:UnindexedChunk AND c.hash = row.updated
REMOVE c:UnindexedChunk
WITH c, row
CALL (c, row) {
  MATCH (c)<-[:OF]-(old:ChunkEmbedding)
  WHERE old.passage >= size(row.passages)
  DETACH DELETE old
}
CALL (c, row) {
  UNWIND range(0, size(row.passages) - 1) AS place
  WITH c, place, row.passages[place] AS made
  // Updated in place instead of deleted and created: between a commit and the index update, a search would find neither.
  MERGE (c)<-[:OF]-(e:ChunkEmbedding {passage: place})
  ON CREATE SET e.uid = made.uid
  SET e.schema_version = 1, e.model = $model, e.dimensions = $dimensions, e.created_at = datetime()
  FOREACH (later IN CASE WHEN place > 0 THEN [e] ELSE [] END | SET later:LaterChunkPassage)
  WITH e, made
  CALL db.create.setNodeVectorProperty(e, 'text', made.vectors.text)
}
RETURN count(c) AS stored
