// Returns the state of each asked circuit breaker of $asked [{key, rule, threshold, action {phase}, now}]: the row that circuit_state returns for it. The text of circuit_state replaces the last line of the subquery.
UNWIND $asked AS asked
CALL (asked) {
  RETURN null AS state, 0 AS failures, 0 AS failure_threshold, null AS opened_at, null AS half_open_at, null AS probe_id, null AS probe_expires_at, null AS until, false AS blocked, null AS why
}
RETURN asked.key AS key, state, failures, failure_threshold, opened_at, half_open_at, probe_id, probe_expires_at, until, blocked, why
