// Returns the number of verdicts older than $before with the result $allowed that may be deleted.
MATCH (v:Verdict)
WHERE v.allowed = $allowed AND v.at < $before AND NOT EXISTS { (v)-[:JUDGED]->() } AND NOT EXISTS { (v)<-[:AGAINST]-() }
  AND (v.counted_for IS NULL OR v.at < datetime() - duration('P30D')) // limits still count the verdicts of 30 days
RETURN count(v) AS deleted
