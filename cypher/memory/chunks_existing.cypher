// Returns the chunks of $sessions [{session, from}] from the position from on, and the remains of forgotten chunks at any position.
UNWIND $sessions AS row
CALL (row) {
  MATCH (c:Chunk) USING INDEX SEEK c:Chunk(session, position)
  WHERE c.session = row.session AND c.position >= row.from
  RETURN c.uid AS uid, c.position AS position, c.hash AS hash, c.tokens AS tokens, c.project AS project, false AS forgotten
  UNION ALL
  MATCH (f:ForgottenChunk) USING INDEX SEEK f:ForgottenChunk(session, position)
  WHERE f.session = row.session AND f.position >= 0
  RETURN f.uid AS uid, f.position AS position, f.hash AS hash, 0 AS tokens, '' AS project, true AS forgotten
}
RETURN row.session AS session, uid, position, hash, tokens, project, forgotten
