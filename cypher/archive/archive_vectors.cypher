// Returns the vectors of all decisions that are not marked for new ones. No parameters.
MATCH (e:Embedding)-[:OF]->(d:Decision)
WHERE NOT d:Unindexed
RETURN d.uid AS of, properties(e) AS properties
