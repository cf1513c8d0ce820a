// Returns names that more than one policy, or more than one threshold, has in the same scope. No parameters.
MATCH (n:SYS_Policy) WHERE n.name IS NOT NULL
WITH n.name AS name, coalesce(n.domain_scope, n.scope) AS scope, count(*) AS nodes WHERE nodes > 1
RETURN 'SYS_Policy' AS label, name, nodes
UNION ALL
MATCH (n:SYS_Threshold) WHERE n.name IS NOT NULL
WITH n.name AS name, coalesce(n.domain_scope, n.scope) AS scope, count(*) AS nodes WHERE nodes > 1
RETURN 'SYS_Threshold' AS label, name, nodes
