// Replaces the properties and the marker labels of $nodes {id, labels, properties}.
UNWIND $nodes AS node
MATCH (n) WHERE elementId(n) = node.id
REMOVE n:Preserved:Retracted
SET n = node.properties, n:$(node.labels)
