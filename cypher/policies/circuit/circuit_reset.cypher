// Resets the circuit of $scope for all policies with that scope: stores $reset {uid, schema_version, by, reason, probe_first} with its time.
CREATE (r:CircuitReset)
SET r = $reset, r.scope = $scope, r.at = datetime()
WITH r
CALL (r) {
  MATCH (p:SYS_Policy {circuit_scope: $scope})
  CREATE (r)-[:RESETS]->(p)
}
RETURN r.at AS at
