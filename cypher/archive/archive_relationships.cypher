// Returns all relationships of $types between nodes of Nomograph. Keys of nodes are built as in archive/archive_nodes. $unique, $open, $keyed.
MATCH (a)-[r]->(b)
WHERE type(r) IN $types
WITH a, b, r, CASE WHEN any(l IN labels(a) WHERE l IN $unique) THEN a.uid
             WHEN any(l IN labels(a) WHERE l IN $open OR l IN $keyed AND a.key IS NOT NULL) THEN 'element:' + elementId(a) END AS from,
        CASE WHEN any(l IN labels(b) WHERE l IN $unique) THEN b.uid
             WHEN any(l IN labels(b) WHERE l IN $open OR l IN $keyed AND b.key IS NOT NULL) THEN 'element:' + elementId(b) END AS to
WHERE from IS NOT NULL AND to IS NOT NULL AND NOT coalesce(a:Chunk AND a.kind IN ['events', 'decision'], false) AND NOT coalesce(b:Chunk AND b.kind IN ['events', 'decision'], false)
RETURN type(r) AS type, from, to, properties(r) AS properties
