// Returns the properties of the policies that no pack owns, by name. No parameters.
MATCH (p:SYS_Policy) WHERE NOT EXISTS { (:SYS_Pack)-[:OWNS]->(p) }
RETURN properties(p) AS properties ORDER BY toStringOrNull(p.name)
