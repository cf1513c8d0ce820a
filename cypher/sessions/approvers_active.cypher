// Returns the names with an active token that may answer approval requests.
MATCH (t:Token)
WHERE t.revoked_at IS NULL AND coalesce(t.expires_at > datetime(), true) AND t.permissions IS :: LIST<STRING NOT NULL> NOT NULL
  AND any(permission IN t.permissions WHERE permission IN ['govern', 'admin']) AND t.name IS :: STRING NOT NULL
RETURN DISTINCT t.name AS name
