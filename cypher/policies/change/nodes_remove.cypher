// Removes the nodes whose element ids are in $ids; their versions and changes stay.
UNWIND $ids AS id
MATCH (n) WHERE elementId(n) = id
DETACH DELETE n
