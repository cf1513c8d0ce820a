// Creates the node that migrations lock, if missing. No parameters.
MERGE (:SYS_MigrationLock {name: 'migrations'})
