// Locks the proposal $uid until the transaction ends, and returns its properties and its last replays, newest first.
MATCH (p:Proposal {uid: $uid})
SET p.held = true
REMOVE p.held
RETURN properties(p) AS proposal, COLLECT { MATCH (p)-[:REPLAYED]->(r:Replay) RETURN r {.by, .at, .rows, .plan, .base_revision} ORDER BY r.at DESC LIMIT 50 } AS replays
