// Sets $properties of the proposal $uid, which contain its new state, and stores the step $step. With $decided, it stores that the agent $key called $by decided. It links the proposal to the $policies, $thresholds and $tables that it changed.
MATCH (p:Proposal {uid: $uid})
SET p += $properties, p.changed_at = datetime(), p.changed_by = $by
CREATE (p)-[:HAS_STEP]->(:ProposalStep {uid: $step, schema_version: 1, at: p.changed_at, state: $properties.state, by: $by, reason: $properties.decision_reason})
FOREACH (at IN CASE WHEN $decided THEN [p] ELSE [] END | SET at.decided_at = datetime(), at.decided_by = $by)
FOREACH (at IN CASE WHEN $properties.state = 'applied' THEN [p] ELSE [] END | SET at.applied_at = datetime(), at.applied_by = $by)
WITH p
CALL (p) {
  WITH p WHERE $decided
  MERGE (a:Agent {key: $key}) ON CREATE SET a.name = $by, a.uid = randomUUID(), a.schema_version = 1
  MERGE (p)-[:DECIDED_BY]->(a)
}
CALL (p) { UNWIND $policies AS name MATCH (n:SYS_Policy {name: name}) MERGE (p)-[:CHANGES]->(n) }
CALL (p) { UNWIND $thresholds AS name MATCH (n:SYS_Threshold {name: name}) MERGE (p)-[:CHANGES]->(n) }
CALL (p) { UNWIND $tables AS id MATCH (n:SYS_DecisionTable {table_id: id}) MERGE (p)-[:CHANGES]->(n) }
