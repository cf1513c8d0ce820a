// Takes the sync lock until the transaction ends, and returns the clock.
MERGE (l:SYS_Lock {name: 'sync'})
SET l.held = true
REMOVE l.held
RETURN datetime() AS now
