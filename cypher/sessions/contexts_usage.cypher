// Returns the usage of contexts since $since by 'agent', 'session' or 'token' ($by): requests, given contexts, votes. The most requests first, at most $limit.
CALL () {
  MATCH (e)-[g:GAVE]->() WHERE g.at >= $since
  WITH g.session AS uid, count(DISTINCT e) AS requests, count(g) AS given, max(g.at) AS last_at
  MATCH (s:Session {uid: uid})
  RETURN s.agent AS agent, s.id AS session, requests, given, 0 AS helpful, 0 AS not_helpful, last_at
  UNION ALL
  MATCH (f:Feedback) WHERE f.at >= $since
  WITH f.agent AS agent, f.session AS uid, sum(CASE WHEN f.helpful THEN 1 ELSE 0 END) AS helpful, sum(CASE WHEN f.helpful THEN 0 ELSE 1 END) AS not_helpful, max(f.at) AS last_at
  OPTIONAL MATCH (s:Session {uid: uid})
  RETURN agent, s.id AS session, 0 AS requests, 0 AS given, helpful, not_helpful, last_at
}
WITH *, CASE $by WHEN 'agent' THEN [agent] WHEN 'session' THEN [session] ELSE COLLECT { MATCH (t:Token)-[:OF]->(:Agent {key: agent}) RETURN t.name } END AS names
UNWIND names AS name
WITH name, session, requests, given, helpful, not_helpful, last_at WHERE name IS NOT NULL
RETURN name, count(DISTINCT session) AS sessions, sum(requests) AS requests, sum(given) AS given, sum(helpful) AS helpful, sum(not_helpful) AS not_helpful, max(last_at) AS last_at
ORDER BY requests DESC, name LIMIT $limit
