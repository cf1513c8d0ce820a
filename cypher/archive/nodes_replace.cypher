// Sets exactly these properties, and of the marker labels exactly these, on $nodes {id, labels, properties}.
UNWIND $nodes AS node
MATCH (n) WHERE elementId(n) = node.id
REMOVE n:Preserved:Retracted
SET n = node.properties, n:$(node.labels)
