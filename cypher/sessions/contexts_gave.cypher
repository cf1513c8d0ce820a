// Links the event $event of the session $session to the contexts that it gave for $need: $given [{uid, score}], sorted by uid.
MATCH (e:TraceEvent {uid: $event})
UNWIND $given AS row
MATCH (c:Context {uid: row.uid})
CREATE (e)-[:GAVE {session: $session, need: $need, score: row.score, at: datetime()}]->(c)
