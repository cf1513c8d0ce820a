// The pack $pack no longer owns the nodes whose element ids are in $ids.
MATCH (:SYS_Pack {name: $pack})-[o:OWNS]->(n)
WHERE elementId(n) IN $ids
DELETE o
