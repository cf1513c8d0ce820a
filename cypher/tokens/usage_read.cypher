// Returns usage counts from $from to $to (days), of the name $key if given: the newest day first, then by name and operation, after $skip at most $limit.
MATCH (u:TokenUsage)
WHERE u.day >= $from AND u.day <= $to AND ($key IS NULL OR u.key = $key)
RETURN u.name AS name, u.day AS day, u.operation AS operation, u.calls AS calls, u.denials AS denials, u.refusals AS refusals, u.bytes AS bytes
ORDER BY day DESC, name, operation SKIP $skip LIMIT $limit
