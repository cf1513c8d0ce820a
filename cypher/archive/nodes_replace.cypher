// Gives $nodes {id, labels, properties} exactly these properties, and of the labels that only mark, those.
UNWIND $nodes AS node
MATCH (n) WHERE elementId(n) = node.id
REMOVE n:Preserved:Retracted
SET n = node.properties, n:$(node.labels)
