// Returns the properties that the chain of the session $session covers, from the position $from on and below $count, even if they were edited. $limit.
MATCH (e:TraceEvent) USING INDEX SEEK e:TraceEvent(session, seq)
WHERE e.session = $session AND e.seq >= $from AND e.seq < $count
RETURN e.seq AS seq, e.forgotten_at IS NOT NULL AS forgotten, e.type AS type, e.at AS at, e.agent AS agent, e.payload AS payload, e.prev_hash AS prev_hash, e.hash AS hash,
       EXISTS { (:Session {uid: $session})-[:RECORDED]->(e) } AS recorded
ORDER BY e.session, e.seq LIMIT $limit
