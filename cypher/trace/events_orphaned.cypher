// Events that no session records and whose own session does not exist. $limit.
MATCH (e:TraceEvent)
WHERE NOT EXISTS { (:Session)-[:RECORDED]->(e) } AND NOT EXISTS { (:Session {uid: e.session}) }
RETURN e.session AS session, e.seq AS seq
LIMIT $limit
