// Returns the projects in memory whose names are $key, or end with it after a slash; the exact match first.
MATCH (p:MemoryProject)
WHERE p.key = $key OR p.key ENDS WITH '/' + $key
RETURN p.name AS name ORDER BY p.key = $key DESC, p.key LIMIT 6
