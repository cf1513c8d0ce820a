// Returns the last event at or after the position $count of the session $session, the number of events it counts, and the number of relationships to events.
CALL () {
  MATCH (e:TraceEvent) USING INDEX SEEK e:TraceEvent(session, seq)
  WHERE e.session = $session AND e.seq >= $count
  RETURN max(e.seq) AS last
}
WITH last
MATCH (s:Session {uid: $session})
RETURN last, s.count AS count, COUNT { (s)-[:RECORDED]->() } AS recorded
