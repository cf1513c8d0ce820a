// Stores the rule set $hash as a revision with $versions {of, hash}, and makes it the last recorded one. $uid. An existing revision stays unchanged.
MERGE (head:SYS_Lock {name: 'rules'})
SET head.revision = $hash
MERGE (r:SYS_Revision {hash: $hash})
ON CREATE SET r.uid = $uid, r.schema_version = 1, r.first_at = datetime()
WITH r
WHERE NOT (r)-[:INCLUDES]->()
UNWIND $versions AS version
MATCH (v:SYS_Version {hash: version.hash, of: version.of}) USING INDEX v:SYS_Version(hash)
MERGE (r)-[:INCLUDES]->(v)
