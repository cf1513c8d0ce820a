// Appends $changes {id, uid, label, name, kind, from, to, version_label, versions: [{uid, hash, properties}]}, made by $by because of $why.
UNWIND $changes AS change
CREATE (c:SYS_Change {uid: change.uid, schema_version: 1, label: change.label, name: change.name, kind: change.kind, at: datetime(),
                      by: $by, why: $why, from: change.from, to: change.to})
WITH change, c
OPTIONAL MATCH (n) WHERE elementId(n) = change.id
FOREACH (_ IN CASE WHEN n IS NULL THEN [] ELSE [1] END | CREATE (n)-[:CHANGED]->(c))
WITH change, n
WHERE n IS NOT NULL
UNWIND change.versions AS version
WITH change, n, version
WHERE NOT EXISTS { MATCH (n)-[:HAS_VERSION]->({hash: version.hash}) }
CREATE (n)-[:HAS_VERSION]->(:$(change.version_label) {uid: version.uid, schema_version: 1, hash: version.hash, name: change.name,
                                                    properties: version.properties, first_at: datetime()})
