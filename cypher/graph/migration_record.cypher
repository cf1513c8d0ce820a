// Records that a migration was applied. $version, $name, $checksum, $by, $uid.
MERGE (m:SYS_Migration {version: $version})
ON CREATE SET m.uid = $uid, m.name = $name, m.checksum = $checksum, m.applied_by = $by, m.applied_at = datetime()
