// Returns for each of $sessions the payload of its start, which has the goal, and the number of denials among its newest $newest events.
UNWIND $sessions AS uid
MATCH (s:Session {uid: uid}) USING INDEX SEEK s:Session(uid)
CALL (s) {
  OPTIONAL MATCH (e:TraceEvent) USING INDEX SEEK e:TraceEvent(session, seq)
  WHERE e.session = s.uid AND e.seq >= 0 AND e.seq < 3 AND e.type = 'session.started'
  RETURN e.payload AS start ORDER BY e.seq LIMIT 1
}
CALL (s) {
  MATCH (e:TraceEvent) USING INDEX SEEK e:TraceEvent(session, seq)
  WHERE e.session = s.uid AND e.seq >= coalesce(toIntegerOrNull(s.count), 0) - $newest AND
    (e.type = 'check' AND e.payload CONTAINS '"allowed":false' OR e.type = 'action.reported' AND e.payload CONTAINS '"decision":"denied"')
  RETURN count(e) AS denied
}
RETURN uid, start, denied
