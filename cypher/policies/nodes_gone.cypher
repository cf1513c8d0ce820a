// Policies, thresholds and tables whose last change left them there and that are there no longer. No parameters.
MATCH (v:SYS_Version)
WHERE v.of IN ['SYS_Policy', 'SYS_Threshold', 'SYS_DecisionTable']
WITH DISTINCT v.of AS label, v.name AS name
WHERE NOT CASE label WHEN 'SYS_Policy' THEN EXISTS { (:SYS_Policy {name: name}) }
                     WHEN 'SYS_Threshold' THEN EXISTS { (:SYS_Threshold {name: name}) }
                     ELSE EXISTS { MATCH (t:SYS_DecisionTable) WHERE t.table_id = name OR t.name = name } END
CALL (label, name) { MATCH (c:SYS_Change {label: label, name: name}) USING INDEX SEEK c:SYS_Change(label, name, at, uid) WHERE c.at IS NOT NULL AND c.uid >= '' RETURN c ORDER BY c.label DESC, c.name DESC, c.at DESC, c.uid DESC LIMIT 1 }
WITH label, name, c WHERE c.to IS NOT NULL
OPTIONAL MATCH (sync:SYS_Lock {name: 'sync'})
RETURN label, name, coalesce(c.scope, '') AS scope, c.to AS recorded, CASE WHEN sync.at > c.at THEN sync.at ELSE c.at END AS since
