// Returns the types of the events of the session $session with their numbers.
MATCH (e:TraceEvent) USING INDEX SEEK e:TraceEvent(session, seq)
WHERE e.session = $session AND e.seq >= 0 AND e.type IS :: STRING NOT NULL
RETURN e.type AS type, count(*) AS count ORDER BY type
