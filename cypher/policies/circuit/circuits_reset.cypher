// Returns the last reset of each circuit in $scopes: scope, at, by, reason, probe_first.
UNWIND $scopes AS scope
CALL (scope) {
  MATCH (r:CircuitReset) WHERE r.scope = scope AND r.at IS NOT NULL
  RETURN r ORDER BY r.scope DESC, r.at DESC LIMIT 1
}
RETURN scope, r.at AS at, coalesce(r.by, '') AS by, coalesce(r.reason, '') AS reason, coalesce(r.probe_first, false) AS probe_first
