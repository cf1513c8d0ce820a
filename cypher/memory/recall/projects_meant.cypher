// The projects in memory that $name may mean: the one with that name (in lower case), else those whose name ends with it; as far as the caller may see them.
MATCH (p:MemoryProject) WHERE (p.key = $name OR p.key ENDS WITH '/' + $name OR p.key ENDS WITH $name) AND true /* visible: p:MemoryProject */
RETURN p.name AS name, p.key AS key, p.last_at AS last_at, coalesce(p.chunks, 0) AS chunks ORDER BY p.key LIMIT 20
