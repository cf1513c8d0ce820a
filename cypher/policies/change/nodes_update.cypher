// Sets the changed properties of $nodes: {id, set}; null removes a property.
UNWIND $nodes AS node
MATCH (n) WHERE elementId(n) = node.id
SET n += node.set
