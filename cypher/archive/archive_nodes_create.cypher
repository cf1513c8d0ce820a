// Creates $nodes {at, labels, properties}. Returns the element id of each.
UNWIND $nodes AS node
CREATE (n:$(node.labels))
SET n = node.properties
RETURN node.at AS at, elementId(n) AS id
