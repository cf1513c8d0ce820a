// Deletes at most $batch verdicts older than $before with the result $allowed, and stores their number per day. Verdicts on recorded decisions and appealed ones stay. Only one call runs at a time, because concurrent deletions would be counted twice.
MERGE (lock:SYS_Lock {name: 'prune'})
SET lock.held = true
REMOVE lock.held
WITH lock
MATCH (v:Verdict)
WHERE v.allowed = $allowed AND v.at < $before AND NOT EXISTS { (v)-[:JUDGED]->() } AND NOT EXISTS { (v)<-[:AGAINST]-() }
  AND (v.counted_for IS NULL OR v.at < datetime() - duration('P30D')) // limits still count the verdicts of 30 days
WITH v LIMIT $batch
WITH date(v.at) AS day, collect(v) AS verdicts
MERGE (t:VerdictTally {day: day})
ON CREATE SET t.allowed = 0, t.denied = 0
SET t.allowed = t.allowed + CASE WHEN $allowed THEN size(verdicts) ELSE 0 END,
    t.denied = t.denied + CASE WHEN $allowed THEN 0 ELSE size(verdicts) END
WITH verdicts, size(verdicts) AS deleted
FOREACH (v IN verdicts | DETACH DELETE v)
RETURN sum(deleted) AS deleted
