// Returns all nodes of Nomograph. Nodes with a label of $unique are identified by uid; those of $open, and those of $keyed with a key, by element id. Only $labels are returned. Chunks of sessions' own events and of decisions are excluded, because they are created again.
MATCH (n)
WITH n, CASE WHEN any(l IN labels(n) WHERE l IN $unique) THEN n.uid
             WHEN any(l IN labels(n) WHERE l IN $open OR l IN $keyed AND n.key IS NOT NULL) THEN 'element:' + elementId(n) END AS key
WHERE key IS NOT NULL AND NOT coalesce(n:Chunk AND n.kind IN ['events', 'decision'], false)
RETURN key, [l IN labels(n) WHERE l IN $labels] AS labels, properties(n) AS properties
