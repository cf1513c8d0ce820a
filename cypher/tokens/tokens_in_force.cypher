// The tokens in force, or only the one with $hash where that is given, each with how many milliseconds it has left (null: no end), how many calls its name made on $day, and how many servers but $server answered it within the last $alive seconds, where its rate is limited. Then the browser sessions that were signed out, by the hash of their id, or only the one with $hash, each with how many milliseconds its cookie has left.
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
