// Takes the lock for creating SUPERSEDES links, so that two concurrent writers do not create a cycle together.
MERGE (lock:SYS_Lock {name: 'supersedes'})
SET lock.held = true
REMOVE lock.held
