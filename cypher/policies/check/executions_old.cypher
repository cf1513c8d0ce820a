// Returns the number of executed tool calls older than $before.
MATCH (e:Execution) USING INDEX e:Execution(at, uid)
WHERE e.at < $before AND e.uid >= ''
RETURN count(e) AS deleted
