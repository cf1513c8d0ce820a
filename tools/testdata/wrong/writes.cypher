// Removes everything.
MATCH (n) DETACH DELETE n
