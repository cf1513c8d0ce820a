// Takes the lock under which links by SUPERSEDES are made, so that two writers do not close a circle together.
MERGE (lock:SYS_Lock {name: 'supersedes'})
SET lock.held = true
REMOVE lock.held
