// Locks the application of packs until the transaction ends, so that two packs do not create the same name. Returns the pack $pack, which is created if missing. $uid.
MERGE (lock:SYS_Lock {name: 'packs'})
SET lock.held = true
REMOVE lock.held
MERGE (p:SYS_Pack {name: $pack})
ON CREATE SET p.uid = $uid, p.schema_version = 1
RETURN coalesce(p.checksum, '') AS checksum, p.brought AS brought
