// All tokens, by name, the newest of a name first; those that are revoked or have ended only where $all. No hash of a secret is among it.
MATCH (t:Token)
WHERE $all OR t.revoked_at IS NULL AND coalesce(t.expires_at > datetime(), true)
RETURN t {.*, hash: null} AS token, t.revoked_at IS NULL AND coalesce(t.expires_at > datetime(), true) AS in_force
ORDER BY t.name, t.created_at DESC, t.uid
