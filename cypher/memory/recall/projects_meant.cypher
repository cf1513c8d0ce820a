// The projects in memory that $name may mean: the one with that name (in lower case), else those whose name ends with it; as far as $sight lets them be seen.
MATCH (p:MemoryProject) WHERE (p.key = $name OR p.key ENDS WITH '/' + $name OR p.key ENDS WITH $name) AND ($sight IS NULL OR p.key IN $sight.projects)
RETURN p.name AS name, p.key AS key, p.last_at AS last_at, coalesce(p.chunks, 0) AS chunks ORDER BY p.key LIMIT 20
