// Deletes the nodes $ids (element ids). Their versions and changes stay.
UNWIND $ids AS id
MATCH (n) WHERE elementId(n) = id
DETACH DELETE n
