// Locks the node of the last recorded revision until the transaction ends.
MERGE (head:SYS_Lock {name: 'rules'})
SET head.held = true
REMOVE head.held
