// Returns the active tokens, or only the one with $hash. Each has its remaining milliseconds (null: no expiry), the calls of its name on $day, and, with a rate limit, the number of servers other than $server that answered it within the last $alive seconds. Then it returns the signed-out browser sessions by the hash of their id, or only the one with $hash, each with the remaining milliseconds of its cookie.
// Asks the leader, because the answer must not be outdated.
MATCH (t:Token)
WHERE ($hash IS NULL OR t.hash = $hash) AND t.revoked_at IS NULL AND t.name IS :: STRING NOT NULL AND (t.expires_at IS NULL OR coalesce(t.expires_at > datetime(), false))
RETURN properties(t) AS token,
       CASE WHEN t.expires_at IS NOT NULL THEN t.expires_at.epochMillis - datetime().epochMillis END AS left,
       CASE WHEN t.budget IS NOT NULL THEN reduce(calls = 0, u IN COLLECT { MATCH (u:TokenUsage {key: toLower(trim(t.name)), day: $day}) RETURN u.calls } | calls + u) ELSE 0 END AS used,
       CASE WHEN t.rate IS NOT NULL THEN COUNT { MATCH (s:SYS_Server) WHERE s.uid <> $server AND toLower(trim(t.name)) IN s.keys AND s.seen_at > datetime() - duration({seconds: $alive}) } ELSE 0 END AS others
UNION ALL
MATCH (s:SignOut)
WHERE ($hash IS NULL OR s.hash = $hash) AND s.until > datetime()
RETURN {signed_out: s.hash} AS token, s.until.epochMillis - datetime().epochMillis AS left, 0 AS used, 0 AS others
