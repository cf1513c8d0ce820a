// Returns the server's version and edition, the applied migrations, and whether the graph contains anything else. No parameters.
CALL dbms.components() YIELD name, versions, edition
WITH head(collect({version: versions[0], edition: edition})) AS kernel
OPTIONAL MATCH (m:SYS_Migration)
WITH kernel, collect(m {.version, .name, .checksum}) AS ledger
RETURN kernel.version AS version, kernel.edition AS edition, ledger,
       NOT EXISTS { MATCH (n) WHERE NOT n:SYS_Migration AND NOT n:SYS_MigrationLock AND NOT n:SYS_Lock } AS empty
