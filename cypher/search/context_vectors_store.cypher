// Stores the vectors of $rows [{uid, updated, passages: [{uid, vectors: {text: numbers}}]}], sorted by uid, made by $model with $dimensions. They replace old ones. Contexts that changed since are skipped. A context without a known word gets an embedding without a vector.
UNWIND $rows AS row
MATCH (c:Context {uid: row.uid})
SET c.locked_by_nomograph = true
REMOVE c.locked_by_nomograph
WITH c, row
MATCH (c)-[:CURRENT_VERSION]->(:SYS_Version {hash: row.updated})
CALL (c) { MATCH (c)<-[:OF]-(old:ContextEmbedding) DETACH DELETE old }
FOREACH (nothing IN CASE WHEN row.passages = [] THEN [1] ELSE [] END |
  CREATE (c)<-[:OF]-(:ContextEmbedding {schema_version: 1, model: $model, dimensions: $dimensions, version: row.updated, passages: 0, created_at: datetime()}))
WITH c, row
CALL (c, row) {
  UNWIND row.passages AS made
  CREATE (c)<-[:OF]-(e:ContextEmbedding {uid: made.uid, schema_version: 1, model: $model, dimensions: $dimensions, version: row.updated, passages: size(row.passages), created_at: datetime()})
  WITH e, made
  CALL db.create.setNodeVectorProperty(e, 'text', made.vectors.text)
}
RETURN count(c) AS stored
