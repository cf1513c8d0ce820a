// Returns the applied migrations, oldest first. No parameters.
MATCH (m:SYS_Migration)
RETURN m.version AS version, m.name AS name, m.checksum AS checksum
ORDER BY version
