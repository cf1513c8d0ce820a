// Returns the next free position in the session $session (a uid).
CALL () {
  MATCH (c:Chunk) USING INDEX SEEK c:Chunk(session, position) WHERE c.session = $session AND c.position >= 0 RETURN max(c.position) AS top
}
CALL () {
  MATCH (f:ForgottenChunk) USING INDEX SEEK f:ForgottenChunk(session, position) WHERE f.session = $session AND f.position >= 0 RETURN max(f.position) AS gone
}
RETURN CASE WHEN coalesce(top, -1) > coalesce(gone, -1) THEN coalesce(top, -1) ELSE coalesce(gone, -1) END + 1 AS next
