// Counters for calibration, circuit breakers and what is due get their indexes; decisions that are there already are counted.
CREATE CONSTRAINT calibration_cell IF NOT EXISTS FOR (c:CalibrationCell) REQUIRE (c.scope, c.period) IS UNIQUE;
CREATE INDEX calibration_kind IF NOT EXISTS FOR (c:CalibrationCell) ON (c.kind, c.period, c.reviewed);
CREATE INDEX calibration_confirmed IF NOT EXISTS FOR (c:CalibrationCell) ON (c.confirmed, c.reviewed);
CREATE INDEX calibration_period IF NOT EXISTS FOR (c:CalibrationCell) ON (c.period);
CREATE CONSTRAINT circuit_reset_uid IF NOT EXISTS FOR (r:CircuitReset) REQUIRE r.uid IS UNIQUE;
CREATE INDEX circuit_reset_scope IF NOT EXISTS FOR (r:CircuitReset) ON (r.scope, r.at);
CREATE INDEX sys_policy_circuit_scope IF NOT EXISTS FOR (p:SYS_Policy) ON (p.circuit_scope);
CREATE INDEX decision_reviewed IF NOT EXISTS FOR (d:Decision) ON (d.reviewed_at, d.uid);
CREATE INDEX decision_stakes_reviewed IF NOT EXISTS FOR (d:Decision) ON (d.stakes, d.reviewed_at);
CREATE INDEX decision_category_reviewed IF NOT EXISTS FOR (d:Decision) ON (d.category, d.reviewed_at);
CREATE INDEX decision_agent_reviewed IF NOT EXISTS FOR (d:Decision) ON (d.agent, d.reviewed_at);
CREATE INDEX decision_due IF NOT EXISTS FOR (d:Decision) ON (d.status, d.review_by, d.uid);
MATCH (d:Decision) CALL (d) { SET d:Uncounted } IN TRANSACTIONS OF 10000 ROWS;
MATCH (d:Decision)-[:HAS_REVIEW]->(r:Review) WHERE r.confidence IS NULL AND d.confidence IS NOT NULL CALL (d, r) { SET r.confidence = d.confidence } IN TRANSACTIONS OF 10000 ROWS;
