// Takes the lock of synchronising until the transaction ends, and gives the clock.
MERGE (l:SYS_Lock {name: 'sync'})
SET l.held = true
REMOVE l.held
RETURN datetime() AS now
