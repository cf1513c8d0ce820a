// Takes the locks $locks in their order until the transaction ends.
UNWIND $locks AS name
MERGE (lock:SYS_Lock {name: name})
SET lock.held = true
REMOVE lock.held
