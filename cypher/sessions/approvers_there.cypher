// Whether somebody but $askers (in lower case) holds a token in force with a permission to answer requests.
RETURN EXISTS {
  MATCH (t:Token)
  WHERE t.revoked_at IS NULL AND coalesce(t.expires_at > datetime(), true) AND t.permissions IS :: LIST<STRING NOT NULL> NOT NULL
    AND any(permission IN t.permissions WHERE permission IN ['govern', 'admin']) AND NOT toLower(trim(t.name)) IN $askers
} AS there
