// Returns needs without a match since $since, the most frequent first, at most $limit, each with the number of its agents.
MATCH (u:UnmetNeed) WHERE u.last_at >= $since
RETURN u.need AS need, u.times AS times, u.last_at AS last_at, COUNT { MATCH (u)<-[:FOUND_NOTHING]-(e:TraceEvent) RETURN DISTINCT e.agent } AS agents
ORDER BY times DESC, last_at DESC LIMIT $limit
