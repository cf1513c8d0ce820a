// Takes the migration lock until its transaction ends. $by: the migrating process.
MATCH (lock:SYS_MigrationLock {name: 'migrations'})
SET lock.held_by = $by, lock.held_since = datetime()
