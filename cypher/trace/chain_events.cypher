// Returns the properties that the chain of the session $session covers, with uids and the names of properties that no event has, from the position $from on and below $count, even if they were edited. $limit.
MATCH (e:TraceEvent) USING INDEX SEEK e:TraceEvent(session, seq)
WHERE e.session = $session AND e.seq >= $from AND e.seq < $count
RETURN e.uid AS uid, e.schema_version AS schema, e.seq AS seq, e.type AS type, e.at AS at, e.agent AS agent, e.payload AS payload, e.prev_hash AS prev_hash, e.hash AS hash,
       EXISTS { (:Session {uid: $session})-[:RECORDED]->(e) } AS recorded,
       [name IN keys(e) WHERE NOT name IN ['uid', 'schema_version', 'session', 'seq', 'type', 'at', 'recorded_at', 'agent', 'payload', 'prev_hash', 'hash', 'forgotten_at', 'forgotten_by']] AS added
ORDER BY e.session, e.seq LIMIT $limit
