// Adds $vectors {of, properties, text, structure, function} to decisions without vectors, or with vectors of the same time, if the graph's vectors come from the same model. The decisions can then be found by vector search. Returns their number.
UNWIND $vectors AS x
MATCH (:SYS_SearchIndex {name: 'decisions', model: x.properties.model})
MATCH (d:Decision {uid: x.of}) USING INDEX d:Decision(uid)
WHERE NOT EXISTS { (d)<-[:OF]-(had:Embedding) WHERE had.uid = x.properties.uid OR coalesce(had.created_at <> x.properties.created_at, true) }
CREATE (e:Embedding)-[:OF]->(d)
SET e = x.properties
FOREACH (later IN CASE WHEN e.passage > 0 THEN [e] ELSE [] END | SET later:LaterPassage)
REMOVE d:Unindexed
WITH e, x
CALL (e, x) { WITH e, x WHERE x.text IS NOT NULL CALL db.create.setNodeVectorProperty(e, 'text', x.text) }
CALL (e, x) { WITH e, x WHERE x.structure IS NOT NULL CALL db.create.setNodeVectorProperty(e, 'structure', x.structure) }
CALL (e, x) { WITH e, x WHERE x.function IS NOT NULL CALL db.create.setNodeVectorProperty(e, 'function', x.function) }
RETURN count(e) AS written
