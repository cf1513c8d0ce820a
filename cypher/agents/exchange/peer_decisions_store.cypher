// Stores the decisions $rows that the peer at $peer, the agent $agent, shares, if they are newer by that peer's clock than the stored ones, and returns how many. Changed decisions are marked for counting.
MERGE (a:Agent {key: $agent.key}) ON CREATE SET a += $agent
WITH a
UNWIND $rows AS row
MERGE (d:PeerDecision {peer: $peer, external_id: row.id})
ON CREATE SET d.uid = row.uid, d.schema_version = 1, d.created_at = datetime(), d.agent = a.name
SET d.held = true
REMOVE d.held
WITH a, d, row, coalesce(d.sent_at < row.at, true) AS newer
FOREACH (none IN CASE WHEN newer THEN [1] ELSE [] END |
  MERGE (a)-[:MADE]->(d)
  SET d.outcome_at = CASE WHEN row.outcome IS NULL THEN null WHEN d.outcome = row.outcome THEN d.outcome_at ELSE datetime() END
  SET d:Uncounted, d.sent_at = row.at, d.updated_at = datetime(), d.title = row.title, d.category = row.category, d.stakes = row.stakes, d.confidence = row.confidence,
      d.outcome = row.outcome, d.date = row.date, d.withdrawn = row.withdrawn)
RETURN count(CASE WHEN newer THEN 1 END) AS new
