// Returns the next $limit events of the session $session from $from on.
MATCH (e:TraceEvent) USING INDEX SEEK e:TraceEvent(session, seq)
WHERE e.session = $session AND e.seq >= $from
RETURN e.seq AS seq, e.type AS type, e.at AS at, e.payload AS payload
ORDER BY e.session, e.seq LIMIT $limit
