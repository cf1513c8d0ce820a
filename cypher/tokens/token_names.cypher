// Returns the names with an active token. Blocks the creation of other tokens until the transaction ends.
MERGE (lock:SYS_Lock {name: 'tokens'})
SET lock.held = true
REMOVE lock.held
WITH lock
MATCH (t:Token)
WHERE t.revoked_at IS NULL AND coalesce(t.expires_at > datetime(), true) AND t.name IS :: STRING NOT NULL
RETURN DISTINCT t.name AS name
