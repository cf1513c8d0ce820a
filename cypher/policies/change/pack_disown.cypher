// Ends the ownership of the nodes $ids (element ids) by the pack $pack.
MATCH (:SYS_Pack {name: $pack})-[o:OWNS]->(n)
WHERE elementId(n) IN $ids
DELETE o
