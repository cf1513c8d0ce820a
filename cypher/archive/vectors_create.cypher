// Gives decisions without vectors $vectors {of, properties, text, structure, function}, where the graph's vectors come from the same model; they are found then. Answers how many.
UNWIND $vectors AS x
MATCH (:SYS_SearchIndex {name: 'decisions', model: x.properties.model})
MATCH (d:Decision {uid: x.of}) USING INDEX d:Decision(uid)
WHERE NOT EXISTS { (d)<-[:OF]-() }
CREATE (e:Embedding)-[:OF]->(d)
SET e = x.properties
REMOVE d:Unindexed
WITH e, x
CALL (e, x) { WITH e, x WHERE x.text IS NOT NULL CALL db.create.setNodeVectorProperty(e, 'text', x.text) }
CALL (e, x) { WITH e, x WHERE x.structure IS NOT NULL CALL db.create.setNodeVectorProperty(e, 'structure', x.structure) }
CALL (e, x) { WITH e, x WHERE x.function IS NOT NULL CALL db.create.setNodeVectorProperty(e, 'function', x.function) }
RETURN count(e) AS written
