// Returns the projects in memory that $name may identify and the caller may see: the one with that name (in lower case), otherwise those whose names end with it.
MATCH (p:MemoryProject) WHERE (p.key = $name OR p.key ENDS WITH '/' + $name OR p.key ENDS WITH $name) AND true /* visible: p:MemoryProject */
RETURN p.name AS name, p.key AS key, p.last_at AS last_at, coalesce(p.chunks, 0) AS chunks ORDER BY p.key LIMIT 20
