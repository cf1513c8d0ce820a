// Returns all tokens by name, the newest of a name first; revoked and expired ones only if $all. Hashes of secrets are not included.
MATCH (t:Token)
WHERE $all OR t.revoked_at IS NULL AND coalesce(t.expires_at > datetime(), true)
RETURN t {.*, hash: null} AS token, t.revoked_at IS NULL AND coalesce(t.expires_at > datetime(), true) AS in_force
ORDER BY t.name, t.created_at DESC, t.uid
