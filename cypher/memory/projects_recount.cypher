// Counts the chunks of all projects again. No parameters.
MATCH (p:MemoryProject)
SET p.chunks = 0, p.tokens = 0
WITH count(p) AS known
MATCH (c:Chunk)
WITH toLower(trim(c.project)) AS key, min(c.project) AS name, count(c) AS chunks, sum(c.tokens) AS tokens, min(c.at) AS first_at, max(c.ends_at) AS last_at
MERGE (p:MemoryProject {key: key})
ON CREATE SET p.name = name, p.schema_version = 1
SET p.chunks = chunks, p.tokens = tokens, p.first_at = first_at, p.last_at = last_at
