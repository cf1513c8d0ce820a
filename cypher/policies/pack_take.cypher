// Locks the pack $pack until the transaction ends, making it where there is none. $uid.
MERGE (p:SYS_Pack {name: $pack})
ON CREATE SET p.uid = $uid, p.schema_version = 1
SET p.locked = true
REMOVE p.locked
