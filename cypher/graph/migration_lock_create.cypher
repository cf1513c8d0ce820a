// Makes the node that migrations lock, once. No parameters.
MERGE (:SYS_MigrationLock {name: 'migrations'})
