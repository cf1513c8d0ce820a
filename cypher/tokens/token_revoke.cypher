// Revokes the active tokens of the agent $key (or only the one with $uid), by $by for $reason. Returns their uids, and the time.
MATCH (:Agent {key: $key})<-[:OF]-(t:Token)
WHERE t.revoked_at IS NULL AND coalesce(t.expires_at > datetime(), true) AND ($uid IS NULL OR t.uid = $uid)
SET t.revoked_at = datetime(), t.revoked_by = $by, t.revoked_because = $reason
WITH t ORDER BY t.uid
RETURN collect(t.uid) AS revoked, max(t.revoked_at) AS revoked_at
