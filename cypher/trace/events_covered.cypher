// Returns the properties that the chain of the session $session covers, with uids, in order, from the position $from on. $limit.
MATCH (e:TraceEvent) USING INDEX SEEK e:TraceEvent(session, seq)
WHERE e.session = $session AND e.seq >= $from
RETURN e.uid AS uid, e.seq AS seq, e.type AS type, e.at AS at, e.agent AS agent, e.payload AS payload, e.prev_hash AS prev_hash, e.hash AS hash
ORDER BY e.session, e.seq LIMIT $limit
