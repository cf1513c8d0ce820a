// Deletes at most $batch executed tool calls older than $before.
MATCH (e:Execution) USING INDEX e:Execution(at, uid)
WHERE e.at < $before AND e.uid >= ''
WITH e LIMIT $batch
WITH collect(e) AS old
FOREACH (e IN old | DETACH DELETE e)
RETURN size(old) AS deleted
