// Links the event $event to the approval $uid that it is about, with the $decision that was then given, and that to the verdict $verdict that it came from; $session is the session in which it was asked for.
MATCH (a:Approval {uid: $uid})
SET a.session = coalesce(a.session, $session)
WITH a
MATCH (e:TraceEvent {uid: $event})
CREATE (e)-[:UNDER {decision: $decision}]->(a)
WITH a
MATCH (v:Verdict {uid: $verdict})
MERGE (a)-[:OF]->(v)
