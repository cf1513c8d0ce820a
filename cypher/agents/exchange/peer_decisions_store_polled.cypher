// Stores the decisions $rows that the peer at $peer, the agent $agent, returned, if they are new or changed, and returns how many. Changed decisions are marked for counting. A missing outcome does not replace a stored one.
MERGE (a:Agent {key: $agent.key}) ON CREATE SET a += $agent
WITH a
UNWIND $rows AS row
MERGE (d:PeerDecision {peer: $peer, external_id: row.id})
ON CREATE SET d.uid = row.uid, d.schema_version = 1, d.created_at = datetime(), d.agent = a.name
SET d.held = true
REMOVE d.held
WITH a, d, row, coalesce(row.outcome, d.outcome) AS outcome
WITH a, d, row, outcome, d.withdrawn IS NOT NULL OR any(pair IN [[d.title, row.title], [d.category, row.category], [d.stakes, row.stakes], [toString(d.confidence), toString(row.confidence)], [d.outcome, outcome], [d.date, row.date]]
  WHERE coalesce(pair[0], '') <> coalesce(pair[1], '')) AS changed
FOREACH (none IN CASE WHEN changed THEN [1] ELSE [] END |
  MERGE (a)-[:MADE]->(d)
  SET d.outcome_at = CASE WHEN outcome IS NULL THEN null WHEN d.outcome = outcome THEN d.outcome_at ELSE datetime() END
  SET d:Uncounted, d.updated_at = datetime(), d.title = row.title, d.category = row.category, d.stakes = row.stakes, d.confidence = row.confidence,
      d.outcome = outcome, d.date = row.date, d.withdrawn = null)
RETURN count(CASE WHEN changed THEN 1 END) AS new
