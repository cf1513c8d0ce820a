// Returns the newest $limit events of the session $session, newest first.
MATCH (e:TraceEvent) USING INDEX SEEK e:TraceEvent(session, seq)
WHERE e.session = $session AND e.seq >= 0
RETURN e.uid AS uid, e.seq AS seq, e.at AS at, e.type AS type, e.agent AS agent, e.payload AS payload, e.hash AS hash
ORDER BY e.session DESC, e.seq DESC LIMIT $limit
