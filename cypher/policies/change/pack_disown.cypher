// Removes the ownership of the pack $pack of the nodes $ids (element ids).
MATCH (:SYS_Pack {name: $pack})-[o:OWNS]->(n)
WHERE elementId(n) IN $ids
DELETE o
