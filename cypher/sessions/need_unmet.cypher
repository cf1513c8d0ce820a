// Counts the need $need with the key $key for which the event $event found nothing. $uid identifies it if it is new.
MERGE (u:UnmetNeed {key: $key})
ON CREATE SET u.uid = $uid, u.schema_version = 1, u.times = 0, u.first_at = datetime()
SET u.need = $need, u.times = u.times + 1, u.last_at = datetime()
WITH u
MATCH (e:TraceEvent {uid: $event})
CREATE (e)-[:FOUND_NOTHING]->(u)
