// Returns events of the session $session, in order, from the position $from on. $types and $except are lists of event types; null filters nothing. $limit.
MATCH (e:TraceEvent) USING INDEX SEEK e:TraceEvent(session, seq)
WHERE e.session = $session AND e.seq >= $from AND ($types IS NULL OR e.type IN $types) AND ($except IS NULL OR NOT e.type IN $except)
RETURN e.uid AS uid, e.seq AS seq, e.at AS at, e.type AS type, e.agent AS agent, e.payload AS payload, e.hash AS hash
ORDER BY e.session, e.seq LIMIT $limit
