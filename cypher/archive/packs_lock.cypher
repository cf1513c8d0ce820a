// Locks all making of policies, thresholds and tables until the transaction ends, so that one name is not made twice. No parameters.
MERGE (lock:SYS_Lock {name: 'packs'})
SET lock.held = true
REMOVE lock.held
