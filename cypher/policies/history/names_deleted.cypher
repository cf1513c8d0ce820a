// Returns those of the missing nodes $nodes {label, name} that existed, for a scope, after their last recorded change.
UNWIND $nodes AS node
MATCH (c:SYS_Change {label: node.label, name: node.name})
WITH DISTINCT c.label AS label, c.name AS name, coalesce(c.scope, '') AS scope
CALL (label, name, scope) { MATCH (c:SYS_Change {label: label, name: name}) USING INDEX SEEK c:SYS_Change(label, name, at, uid) WHERE c.at IS NOT NULL AND c.uid >= '' AND coalesce(c.scope, '') = scope RETURN c ORDER BY c.label DESC, c.name DESC, c.at DESC, c.uid DESC LIMIT 1 }
WITH label, name, scope, c WHERE c.to IS NOT NULL
OPTIONAL MATCH (sync:SYS_Lock {name: 'sync'})
RETURN label, name, scope, c.to AS recorded, CASE WHEN sync.at > c.at THEN sync.at ELSE c.at END AS since
