// Stores the vectors of $rows [{uid, updated, passages: [{uid, vectors: {side: numbers}, packed}]}], sorted by uid, made by $model with $dimensions. They replace old ones passage by passage. Decisions that changed since are skipped, and all if the index has another model. The markers stay.
MERGE (index:SYS_SearchIndex {name: 'decisions'})
ON CREATE SET index.model = $model, index.dimensions = $dimensions, index.passages = true, index.packed = true, index.created_at = datetime()
WITH index WHERE index.model = $model AND index.dimensions = $dimensions
UNWIND $rows AS row
MATCH (d:Decision {uid: row.uid})
// Locks the nodes of the decision's vectors, or the decision if there are none. The index update takes most of this transaction, and reviews and counters
// need not wait for it. A writer with a newer text waits here and writes afterwards.
FOREACH (x IN CASE WHEN EXISTS { (d)<-[:OF]-(:Embedding) } THEN COLLECT { MATCH (d)<-[:OF]-(e:Embedding) RETURN e ORDER BY e.passage } ELSE [d] END |
  SET x.locked_by_nomograph = true
  REMOVE x.locked_by_nomograph)
WITH d, row WHERE d:Unindexed AND coalesce(toString(d.updated_at), '') = row.updated
CALL (d, row) {
  MATCH (d)<-[:OF]-(old:Embedding)
  WHERE old.passage IS NULL OR old.passage >= size(row.passages)
  DETACH DELETE old
}
CALL (d, row) {
  UNWIND range(0, size(row.passages) - 1) AS place
  WITH d, place, size(row.passages) AS passages, row.passages[place] AS made
  // Updated in place instead of deleted and created: between a commit and the index update, a search would find neither.
  MERGE (d)<-[:OF]-(e:Embedding {passage: place})
  ON CREATE SET e.uid = made.uid
  SET e.schema_version = 1, e.model = $model, e.dimensions = $dimensions, e.passages = passages, e.packed = made.packed, e.created_at = datetime()
  // Setting an equal value keeps the index entry; removing and setting it would insert it again.
  FOREACH (side IN [s IN ['text', 'structure', 'function'] WHERE made.vectors[s] IS NULL] | REMOVE e[side])
  FOREACH (later IN CASE WHEN place > 0 THEN [e] ELSE [] END | SET later:LaterPassage)
  WITH e, made
  UNWIND keys(made.vectors) AS side
  CALL db.create.setNodeVectorProperty(e, side, made.vectors[side])
}
RETURN count(d) AS stored
