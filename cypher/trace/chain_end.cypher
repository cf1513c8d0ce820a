// The last event at or behind the place $count of the session $session, then how many it counts and how many relationships record one.
CALL () {
  MATCH (e:TraceEvent) USING INDEX SEEK e:TraceEvent(session, seq)
  WHERE e.session = $session AND e.seq >= $count
  RETURN max(e.seq) AS last
}
WITH last
MATCH (s:Session {uid: $session})
RETURN last, s.count AS count, COUNT { (s)-[:RECORDED]->() } AS recorded
