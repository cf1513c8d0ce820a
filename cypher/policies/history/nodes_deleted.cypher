// Returns policies, thresholds, tables, atlases and contexts, and their scoped variants, that existed after their last recorded change and are missing now. No parameters.
MATCH (c:SYS_Change)
WHERE c.label IN ['SYS_Policy', 'SYS_Threshold', 'SYS_DecisionTable', 'Atlas', 'Context']
WITH DISTINCT c.label AS label, c.name AS name, coalesce(c.scope, '') AS scope
CALL (label, name, scope) { MATCH (c:SYS_Change {label: label, name: name}) USING INDEX SEEK c:SYS_Change(label, name, at, uid) WHERE c.at IS NOT NULL AND c.uid >= '' AND coalesce(c.scope, '') = scope RETURN c ORDER BY c.label DESC, c.name DESC, c.at DESC, c.uid DESC LIMIT 1 }
WITH label, name, scope, c
WHERE c.to IS NOT NULL
  AND (NOT EXISTS { ()-[:CHANGED]->(c) }
       OR NOT CASE label WHEN 'SYS_Policy' THEN EXISTS { (:SYS_Policy {name: name}) }
                         WHEN 'SYS_Threshold' THEN EXISTS { (:SYS_Threshold {name: name}) }
                         WHEN 'Atlas' THEN EXISTS { (:Atlas {atlas_id: name}) } WHEN 'Context' THEN EXISTS { (:Context {context_id: name}) }
                         ELSE EXISTS { MATCH (t:SYS_DecisionTable) WHERE t.table_id = name OR t.name = name } END)
OPTIONAL MATCH (sync:SYS_Lock {name: 'sync'})
RETURN label, name, scope, c.to AS recorded, CASE WHEN sync.at > c.at THEN sync.at ELSE c.at END AS since
