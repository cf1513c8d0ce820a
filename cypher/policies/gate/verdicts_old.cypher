// How many verdicts older than $before whose answer was $allowed may be deleted.
MATCH (v:Verdict)
WHERE v.allowed = $allowed AND v.at < $before AND NOT EXISTS { (v)-[:JUDGED]->() }
RETURN count(v) AS deleted
