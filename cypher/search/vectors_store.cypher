// Keeps the vectors of $rows [{uid, updated, embedding, vectors: {side: numbers}}], sorted by uid, made by $model with $dimensions, unless the index has another model.
MERGE (index:SYS_SearchIndex {name: 'decisions'})
ON CREATE SET index.model = $model, index.dimensions = $dimensions, index.created_at = datetime()
WITH index WHERE index.model = $model AND index.dimensions = $dimensions
UNWIND $rows AS row
MATCH (d:Decision {uid: row.uid})
SET d.locked_by_nomograph = true
REMOVE d.locked_by_nomograph
WITH d, row WHERE d:Unindexed AND coalesce(toString(d.updated_at), '') = row.updated
REMOVE d:Unindexed
WITH d, row
CALL (d, row) {
  WITH d WHERE row.vectors = {}
  MATCH (d)<-[:OF]-(old:Embedding)
  DETACH DELETE old
}
CALL (d, row) {
  WITH d WHERE row.vectors <> {}
  MERGE (d)<-[:OF]-(e:Embedding)
  ON CREATE SET e.uid = row.embedding, e.schema_version = 1
  SET e.model = $model, e.dimensions = $dimensions, e.created_at = datetime()
  REMOVE e.text, e.structure, e.function
  WITH e
  UNWIND keys(row.vectors) AS side
  CALL db.create.setNodeVectorProperty(e, side, row.vectors[side])
}
RETURN count(d) AS stored
