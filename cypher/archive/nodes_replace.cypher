// Gives $nodes {id, labels, properties} exactly these properties.
UNWIND $nodes AS node
MATCH (n) WHERE elementId(n) = node.id
SET n = node.properties, n:$(node.labels)
