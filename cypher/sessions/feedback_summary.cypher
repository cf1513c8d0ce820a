// Returns the feedback on the context $context, or, if null, on all contexts that were given or rated, most given first, at most $limit. Each has the $common most frequent needs of helpful votes and reasons of unhelpful votes.
MATCH (c:Context) WHERE ($context IS NULL OR c.context_id = $context)
WITH c, COUNT { (c)<-[:GAVE]-() } AS requests
WHERE $context IS NOT NULL OR requests > 0 OR EXISTS { (c)<-[:ABOUT]-() }
WITH c, requests ORDER BY requests DESC, c.context_id LIMIT $limit
RETURN c.context_id AS context_id, requests,
  COUNT { MATCH (f:Feedback)-[:ABOUT]->(c) WHERE f.helpful } AS helpful, COUNT { MATCH (f:Feedback)-[:ABOUT]->(c) WHERE NOT f.helpful } AS not_helpful,
  COLLECT { MATCH (f:Feedback)-[:ABOUT]->(c) WHERE f.helpful AND trim(f.need) <> '' WITH trim(f.need) AS need, count(*) AS times, max(f.at) AS last RETURN need ORDER BY times DESC, last DESC LIMIT $common } AS needs,
  COLLECT { MATCH (f:Feedback)-[:ABOUT]->(c) WHERE NOT f.helpful AND trim(f.reason) <> '' WITH trim(f.reason) AS reason, count(*) AS times, max(f.at) AS last RETURN reason ORDER BY times DESC, last DESC LIMIT $common } AS reasons
ORDER BY requests DESC, context_id
