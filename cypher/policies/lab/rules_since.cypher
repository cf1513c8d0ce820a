// Returns since when each of the policies $names is known: the time of its first recorded change.
MATCH (p:SYS_Policy)-[:CHANGED]->(c:SYS_Change)
WHERE p.name IN $names
RETURN p.name AS name, min(coalesce(c.since, c.at)) AS since
