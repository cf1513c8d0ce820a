// Locks the nodes $ids (element ids) until the transaction ends.
CYPHER replan=skip
UNWIND $ids AS id
MATCH (n) WHERE elementId(n) = id
SET n.locked_by_nomograph = true
REMOVE n.locked_by_nomograph
