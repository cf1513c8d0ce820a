// The names that have a token in force. Nobody else makes a token until the transaction ends.
MERGE (lock:SYS_Lock {name: 'tokens'})
SET lock.held = true
REMOVE lock.held
WITH lock
MATCH (t:Token)
WHERE t.revoked_at IS NULL AND coalesce(t.expires_at > datetime(), true) AND t.name IS :: STRING NOT NULL
RETURN DISTINCT t.name AS name
