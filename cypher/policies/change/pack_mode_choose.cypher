// Stores the mode $mode that was chosen for the nodes $ids (element ids) of the pack $pack. Null removes the choice.
MATCH (:SYS_Pack {name: $pack})-[o:OWNS]->(n)
WHERE elementId(n) IN $ids
SET o.mode = $mode
