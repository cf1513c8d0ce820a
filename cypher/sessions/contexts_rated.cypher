// Returns contexts of $atlas (null: any) with feedback since $since: the numbers of helpful and unhelpful votes, the reasons of unhelpful votes, and the needs of helpful votes, each with its agents.
MATCH (a:Atlas)-[:HAS_CONTEXT]->(c:Context)
WHERE ($atlas IS NULL OR a.atlas_id = $atlas) AND EXISTS { MATCH (f:Feedback)-[:ABOUT]->(c) WHERE f.at >= $since }
RETURN a.atlas_id AS atlas_id, c.context_id AS context_id, c.name AS name, coalesce(c.keywords, []) AS keywords,
  COUNT { MATCH (f:Feedback)-[:ABOUT]->(c) WHERE f.helpful AND f.at >= $since } AS helpful, COUNT { MATCH (f:Feedback)-[:ABOUT]->(c) WHERE NOT f.helpful AND f.at >= $since } AS not_helpful,
  COLLECT { MATCH (f:Feedback)-[:ABOUT]->(c) WHERE NOT f.helpful AND f.at >= $since AND trim(f.reason) <> '' WITH trim(f.reason) AS reason, count(*) AS times RETURN {text: reason, times: times} ORDER BY times DESC, reason LIMIT 10 } AS reasons,
  COLLECT { MATCH (f:Feedback)-[:ABOUT]->(c) WHERE f.helpful AND f.at >= $since AND trim(f.need) <> '' WITH trim(f.need) AS need, collect(DISTINCT f.agent) AS agents RETURN {text: need, agents: agents} ORDER BY size(agents) DESC, need LIMIT 200 } AS needs
ORDER BY not_helpful DESC, context_id
