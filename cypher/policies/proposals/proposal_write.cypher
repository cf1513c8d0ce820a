// Writes the proposal $uid with $properties and a new replay $replay, and returns its state. The agent $key called $by is the proposer of a new proposal, and of the step $step that is stored if the proposal is open. It links the proposal to the $policies, $thresholds and $tables that it changes, and to $because (element ids), and removes an earlier approval.
MERGE (p:Proposal {uid: $uid})
ON CREATE SET p.schema_version = 1, p.created_at = datetime()
SET p += $properties, p.opened_at = CASE WHEN $properties.state = 'open' THEN datetime() END
CREATE (p)-[:REPLAYED]->(r:Replay {uid: $replay.uid, schema_version: 1, at: datetime()})
SET r += $replay
FOREACH (_ IN CASE WHEN $properties.state = 'open' THEN [p] ELSE [] END |
  CREATE (p)-[:HAS_STEP]->(:ProposalStep {uid: $step, schema_version: 1, at: p.opened_at, state: 'open', by: $by, reason: p.reason}))
WITH p
CALL (p) {
  WITH p WHERE NOT (p)-[:PROPOSED_BY]->()
  MERGE (a:Agent {key: $key}) ON CREATE SET a.name = $by, a.uid = randomUUID(), a.schema_version = 1
  MERGE (p)-[:PROPOSED_BY]->(a)
}
CALL (p) { MATCH (p)-[old:CHANGES|DECIDED_BY]->() DELETE old }
CALL (p) { UNWIND $policies AS name MATCH (n:SYS_Policy {name: name}) MERGE (p)-[:CHANGES]->(n) }
CALL (p) { UNWIND $thresholds AS name MATCH (n:SYS_Threshold {name: name}) MERGE (p)-[:CHANGES]->(n) }
CALL (p) { UNWIND $tables AS id MATCH (n:SYS_DecisionTable {table_id: id}) MERGE (p)-[:CHANGES]->(n) }
CALL (p) { UNWIND $because AS id MATCH (n) WHERE elementId(n) = id MERGE (p)-[:BECAUSE_OF]->(n) }
RETURN p.uid AS uid, p.state AS state
