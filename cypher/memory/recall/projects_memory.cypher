// Returns the projects in memory that the caller may see with their sizes, the largest first.
MATCH (p:MemoryProject) WHERE p.chunks > 0 AND true /* unrestricted */
RETURN p.name AS name, p.chunks AS chunks, p.tokens AS tokens, p.first_at AS first_at, p.last_at AS last_at
ORDER BY chunks DESC, name
UNION ALL
MATCH (p:MemoryProject) WHERE NOT true /* unrestricted */ AND true /* visible: p:MemoryProject */
MATCH (c:Chunk) WHERE c.project = p.name AND true /* visible: c:Chunk */
WITH p, count(c) AS chunks, sum(c.tokens) AS tokens, min(c.at) AS first_at, max(c.ends_at) AS last_at
RETURN p.name AS name, chunks, tokens, first_at, last_at
ORDER BY chunks DESC, name
