// Removes everything but the ledger of migrations.
MATCH (n)
WHERE NOT n:SYS_Migration AND NOT n:SYS_MigrationLock AND NOT n:SYS_Lock
CALL (n) { DETACH DELETE n } IN TRANSACTIONS OF 10000 ROWS;

// A lock outlives the graph, and what it holds of it does not.
MATCH (l:SYS_Lock)
SET l = {name: l.name}
