// Adds $changes {id, uid, label, name, scope, kind, from, to, since, version: {uid, label, properties}}, made by $by with the reason $why and by applying $pack (null: no pack), and updates each node's current version. The last recorded revision of the rule set becomes invalid.
CYPHER replan=skip
MERGE (head:SYS_Lock {name: 'rules'})
REMOVE head.revision
WITH head
UNWIND $changes AS change
CREATE (c:SYS_Change {uid: change.uid, schema_version: 1, label: change.label, name: change.name, scope: change.scope, kind: change.kind,
                      at: datetime(), since: change.since, by: $by, why: $why, pack: $pack, from: change.from, to: change.to})
WITH change, c
MATCH (n) WHERE elementId(n) = change.id
CREATE (n)-[:CHANGED]->(c)
WITH change, n
OPTIONAL MATCH (n)-[current:CURRENT_VERSION]->()
DELETE current
WITH DISTINCT change, n
WHERE change.to IS NOT NULL
MERGE (v:SYS_Version {hash: change.to, of: change.label})
ON CREATE SET v:$(change.version.label), v.uid = change.version.uid, v.schema_version = 1, v.name = change.name,
              v.properties = change.version.properties, v.first_at = datetime()
MERGE (n)-[:HAS_VERSION]->(v)
CREATE (n)-[:CURRENT_VERSION]->(v)
