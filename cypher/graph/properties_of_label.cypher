// Returns the properties of $sample nodes of a label with their types. The label replaces `__LABEL__`, validated and quoted, because a label that is a parameter makes Neo4j scan all nodes.
MATCH (n:`__LABEL__`)
WITH n LIMIT $sample
UNWIND keys(n) AS property
WITH property, n[property] AS value
RETURN property AS name, collect(DISTINCT replace(replace(valueType(value), ' NOT NULL', ''), 'INTEGER64', 'INTEGER')) AS types, count(*) AS nodes
ORDER BY name
