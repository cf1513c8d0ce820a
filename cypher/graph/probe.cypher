// Returns the applied migrations, and whether the graph contains anything else. The three counts are constant lookups. No parameters.
MATCH (m:SYS_Migration)
WITH collect(m {.version, .name, .checksum}) AS ledger
CALL { MATCH (n) RETURN count(n) AS nodes }
CALL { MATCH (n:SYS_MigrationLock) RETURN count(n) AS migrating }
CALL { MATCH (n:SYS_Lock) RETURN count(n) AS locks }
RETURN ledger, nodes = size(ledger) + migrating + locks AS empty
