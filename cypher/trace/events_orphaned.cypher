// Events that no session records, and whose own session does not exist or cannot have them at their place. $limit.
MATCH (e:TraceEvent)
WHERE NOT EXISTS { (:Session)-[:RECORDED]->(e) } AND (e.seq IS NULL OR e.seq IS NOT :: INTEGER OR NOT EXISTS { (:Session {uid: e.session}) })
RETURN e.session AS session, e.seq AS seq
LIMIT $limit
