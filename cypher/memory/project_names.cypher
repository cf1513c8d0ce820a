// Returns the names in memory of the projects $keys.
UNWIND $keys AS key
MATCH (p:MemoryProject {key: key})
RETURN DISTINCT key, p.name AS name
