// Locks the note of the revision that was recorded last, until the transaction ends.
MERGE (head:SYS_Lock {name: 'rules'})
SET head.held = true
REMOVE head.held
