// Returns thresholds whose names begin with $prefix, in order, at most $limit: name, value and purpose.
MATCH (n:SYS_Threshold) WHERE n.name STARTS WITH $prefix
RETURN n.name AS name, coalesce(head(collect(toStringOrNull(n.value))), '') + coalesce(', ' + head(collect(toStringOrNull(n.description))), '') AS title
ORDER BY name LIMIT $limit
