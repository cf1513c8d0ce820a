// What server this is, how far its schema was migrated (0: never), and whether anything but our own ledger is in it. No parameters.
CALL dbms.components() YIELD name, versions, edition
WITH head(collect({version: versions[0], edition: edition})) AS kernel
OPTIONAL MATCH (m:SYS_Migration)
WITH kernel, coalesce(max(m.version), 0) AS migration
RETURN kernel.version AS version, kernel.edition AS edition, migration,
       NOT EXISTS { MATCH (n) WHERE NOT n:SYS_Migration AND NOT n:SYS_MigrationLock } AS empty
