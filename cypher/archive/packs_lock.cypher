// Locks the creation of policies, thresholds and tables until the transaction ends, so that no name is created twice. No parameters.
MERGE (lock:SYS_Lock {name: 'packs'})
SET lock.held = true
REMOVE lock.held
