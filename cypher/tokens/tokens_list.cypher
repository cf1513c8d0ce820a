// Returns all tokens by name, the newest of a name first, with the day of the last call under the name; revoked and expired ones only if $all. Hashes of secrets are not included.
MATCH (t:Token)
WHERE $all OR t.revoked_at IS NULL AND coalesce(t.expires_at > datetime(), true)
RETURN t {.*, hash: null} AS token, t.revoked_at IS NULL AND coalesce(t.expires_at > datetime(), true) AS in_force,
  coalesce(toStringOrNull(head(COLLECT { MATCH (u:TokenUsage {key: toLower(trim(toStringOrNull(t.name)))}) RETURN u.day AS day ORDER BY day DESC LIMIT 1 })), '') AS last_used
ORDER BY t.name, t.created_at DESC, t.uid
