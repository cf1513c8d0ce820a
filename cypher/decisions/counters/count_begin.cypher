// Locks the counters until the transaction ends. It selects up to $limit decisions of nearby days that are not counted in their current state, and locks them in order of uid. Returns what counts: their reasons and the current review.
MERGE (l:SYS_Lock {name: 'calibration'})
SET l.locked_by_nomograph = true
REMOVE l.locked_by_nomograph
WITH l
MATCH (d:Uncounted)
WITH d LIMIT 8 * $limit
// Decisions of one day share counters, so each counter is written once.
WITH d ORDER BY coalesce(d.reviewed_at, d.created_at) LIMIT $limit
WITH d ORDER BY d.uid, elementId(d)
SET d.locked_by_nomograph = true
REMOVE d.locked_by_nomograph
WITH d
RETURN elementId(d) AS node, d.uid IS NOT NULL AND (d:Decision OR d:PeerDecision AND d.withdrawn IS NULL) AS counts, d:PeerDecision AS theirs, toString(date({timezone: 'UTC'})) AS today, d.counted_as AS counted_as,
       d {.confidence, .category, .stakes, .project, .agent, .pattern, .created_at} AS decision,
       COLLECT { MATCH (d)-[:BECAUSE]->(r:Reason) RETURN r {.type, .strength} } AS reasons,
       CASE WHEN d:PeerDecision THEN [{outcome: d.outcome, at: d.outcome_at, confidence: d.confidence}]
       ELSE COLLECT { MATCH (d)-[:HAS_REVIEW]->(r:Review {in_force: true}) RETURN r {.outcome, .at, .confidence} ORDER BY r.number DESC LIMIT 1 } END AS reviews
