// Makes $nodes {at, labels, properties}. Answers each one's element id.
UNWIND $nodes AS node
CREATE (n:$(node.labels))
SET n = node.properties
RETURN node.at AS at, elementId(n) AS id
