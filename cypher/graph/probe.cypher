// Returns the applied migrations, and whether the graph contains anything else. The three counts are constant lookups. No parameters.
MATCH (m:SYS_Migration)
WITH collect(m {.version, .name, .checksum}) AS ledger
RETURN ledger, COUNT { MATCH (n) } = size(ledger) + COUNT { MATCH (n:SYS_MigrationLock) } + COUNT { MATCH (n:SYS_Lock) } AS empty
