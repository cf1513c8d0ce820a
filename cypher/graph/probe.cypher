// What server this is, which migrations its graph has had, and whether anything but our own ledger is in it. No parameters.
CALL dbms.components() YIELD name, versions, edition
WITH head(collect({version: versions[0], edition: edition})) AS kernel
OPTIONAL MATCH (m:SYS_Migration)
WITH kernel, collect(m {.version, .name, .checksum}) AS ledger
RETURN kernel.version AS version, kernel.edition AS edition, ledger,
       NOT EXISTS { MATCH (n) WHERE NOT n:SYS_Migration AND NOT n:SYS_MigrationLock AND NOT n:SYS_Lock } AS empty
