// The projects of memory whose names are $key or end with it behind a slash, that one in front.
MATCH (p:MemoryProject)
WHERE p.key = $key OR p.key ENDS WITH '/' + $key
RETURN p.name AS name ORDER BY p.key = $key DESC, p.key LIMIT 6
