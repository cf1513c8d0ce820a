// Makes the nodes of $nodes: {label, key, section, properties}. Answers each one's element id.
UNWIND $nodes AS node
CREATE (n:$(node.label))
SET n = node.properties
RETURN node.section AS section, node.key AS key, elementId(n) AS id
