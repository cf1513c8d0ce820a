// Subtracts forgotten chunks from the counters of $sessions [{uid, chunks, tokens}], which are locked. New chunks continue after the old positions.
UNWIND $sessions AS row
MATCH (s:Session {uid: row.uid})
OPTIONAL CALL (s) {
  MATCH (c:Chunk) USING INDEX SEEK c:Chunk(session, position)
  WHERE c.session = s.uid AND c.position >= 0
  RETURN max(c.position) AS top, max(c.last) AS last, min(c.at) AS from, max(c.ends_at) AS to
}
OPTIONAL CALL (s) {
  MATCH (f:ForgottenChunk) USING INDEX SEEK f:ForgottenChunk(session, position)
  WHERE f.session = s.uid AND f.position >= 0
  RETURN max(f.position) AS gone, max(f.last) AS gone_last, min(f.position) AS start
}
SET s.chunks = s.chunks - row.chunks, s.tokens = s.tokens - row.tokens, s.remembered_from = from, s.remembered_to = to, s.memory_version = coalesce(s.memory_version, 0) + 1,
  s.title = CASE WHEN s.kind = 'imported' AND start = 0 THEN NULL ELSE s.title END // the title quotes the first question
WITH s, CASE WHEN coalesce(top, -1) > gone THEN top ELSE gone END AS top, CASE WHEN coalesce(last, -1) > gone_last THEN last ELSE gone_last END AS last, gone
WHERE gone >= coalesce(s.closed, 0)
SET s.closed = top + 1
FOREACH (own IN CASE WHEN coalesce(s.kind, '') <> 'imported' THEN [s] ELSE [] END | SET own.remembered = last + 1)
FOREACH (imported IN CASE WHEN s.kind = 'imported' THEN [s] ELSE [] END | SET imported.closed_turns = imported.turns, imported.closed_hash = '')
