// Every node of ours. Known by uid are those with a label of $unique; those of $open, and those of $keyed that have a key, by their element id. Only $labels are told. Chunks of sessions' own events and of decisions are made anew, and left out.
MATCH (n)
WITH n, CASE WHEN any(l IN labels(n) WHERE l IN $unique) THEN n.uid
             WHEN any(l IN labels(n) WHERE l IN $open OR l IN $keyed AND n.key IS NOT NULL) THEN 'element:' + elementId(n) END AS key
WHERE key IS NOT NULL AND NOT coalesce(n:Chunk AND n.kind IN ['events', 'decision'], false)
RETURN key, [l IN labels(n) WHERE l IN $labels] AS labels, properties(n) AS properties
