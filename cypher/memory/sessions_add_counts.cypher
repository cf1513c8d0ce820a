// Adds to the counters of $sessions [{uid, set, chunks, tokens, from, to}], which are locked.
UNWIND $sessions AS row
MATCH (s:Session {uid: row.uid})
SET s += row.set, s.chunks = coalesce(s.chunks, 0) + row.chunks, s.tokens = coalesce(s.tokens, 0) + row.tokens, s.memory_version = coalesce(s.memory_version, 0) + 1,
    s.remembered_from = CASE WHEN row.from < coalesce(s.remembered_from, row.from) OR s.remembered_from IS NULL THEN row.from ELSE s.remembered_from END,
    s.remembered_to = CASE WHEN row.to > coalesce(s.remembered_to, row.to) OR s.remembered_to IS NULL THEN row.to ELSE s.remembered_to END
