// Adds to the counters of $projects [{key, name, chunks, tokens, from, to}], sorted by key.
UNWIND $projects AS row
MERGE (p:MemoryProject {key: row.key})
ON CREATE SET p.name = row.name, p.schema_version = 1
SET p.chunks = coalesce(p.chunks, 0) + row.chunks, p.tokens = coalesce(p.tokens, 0) + row.tokens,
    p.first_at = CASE WHEN row.from < coalesce(p.first_at, row.from) OR p.first_at IS NULL THEN row.from ELSE p.first_at END,
    p.last_at = CASE WHEN row.to > coalesce(p.last_at, row.to) OR p.last_at IS NULL THEN row.to ELSE p.last_at END
