// Returns events that no session contains and whose own session does not exist or cannot contain them at their position. $limit.
MATCH (e:TraceEvent)
WHERE NOT EXISTS { (:Session)-[:RECORDED]->(e) } AND (e.seq IS NULL OR e.seq IS NOT :: INTEGER OR NOT EXISTS { (:Session {uid: e.session}) })
RETURN e.session AS session, e.seq AS seq
LIMIT $limit
