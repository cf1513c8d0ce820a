// Creates $nodes: {label, key, section, properties}. Returns the element id of each.
UNWIND $nodes AS node
CREATE (n:$(node.label))
SET n = node.properties
RETURN node.section AS section, node.key AS key, elementId(n) AS id
