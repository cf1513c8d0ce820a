// List changes of a policy or threshold with their reasons.
// $name: string, name of the policy or threshold
// $limit: integer = 20, maximum number of changes
MATCH (c:SYS_Change {name: $name})
OPTIONAL MATCH (n)-[:CHANGED]->(c)
OPTIONAL MATCH (n)-[:HAS_VERSION]->(before {hash: c.from})
OPTIONAL MATCH (n)-[:HAS_VERSION]->(after {hash: c.to})
RETURN c.at AS at, c.kind AS kind, c.by AS by, c.why AS why, before.properties AS before, after.properties AS after
ORDER BY at DESC
LIMIT toInteger($limit)
