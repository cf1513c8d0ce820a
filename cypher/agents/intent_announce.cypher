// Stores $intent of $agent with the votes $voices, unless the agent has an intent with the same correlation_id. Returns uid and hash of the stored intent, and whether it is new.
MERGE (a:Agent {key: $agent.key}) ON CREATE SET a += $agent
SET a.held = true
REMOVE a.held
WITH a
OPTIONAL MATCH (before:Intent {agent_key: $agent.key, correlation_id: $intent.correlation_id})
FOREACH (none IN CASE WHEN before IS NULL THEN [1] ELSE [] END |
  CREATE (i:Intent)-[:ANNOUNCED_BY]->(a)
  SET i += $intent, i.agent = a.name, i.agent_key = a.key, i.at = datetime()
  FOREACH (voice IN $voices |
    CREATE (v:Voice)-[:ON]->(i)
    SET v += voice, v.at = datetime()))
RETURN coalesce(before.uid, $intent.uid) AS id, coalesce(before.hash, $intent.hash) AS hash, before IS NULL AS new
