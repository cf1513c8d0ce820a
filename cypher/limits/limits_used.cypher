// Returns what verdicts used of each of $limits {n, rule, scope, agent, project, unit, since}: each amount, and how many times. Verdicts of one unit count once until they are executed, and not at all for the same $limits.unit. Amounts of 0 or less are ignored.
// Asks the leader, because the answer must not be outdated.
UNWIND $limits AS row
CALL (row) {
  CALL (row) {
    WITH row WHERE row.scope = 'agent'
    MATCH (v:Verdict) USING INDEX SEEK v:Verdict(counted_for, at)
    WHERE v.counted_for = row.agent AND v.at > row.since AND row.rule IN v.counted
    RETURN v
    UNION ALL
    WITH row WHERE row.scope <> 'agent'
    MATCH (v:Verdict) USING INDEX SEEK v:Verdict(at, uid)
    WHERE v.at > row.since AND v.uid IS NOT NULL AND row.rule IN v.counted AND (row.scope = 'everyone' OR row.project = '' OR v.counted_in = row.project)
    RETURN v
  }
  WITH row, v, [n IN range(0, size(v.counted) - 1) WHERE v.counted[n] = row.rule | toFloat(v.amounts[n])][0] AS amount,
       EXISTS { (v)<-[:UNDER]-(:Execution) } AS executed
  WHERE amount > 0
  WITH row, v, amount, executed ORDER BY v.at
  WITH row, coalesce(v.unit, v.uid) AS unit, amount, collect(executed) AS executed
  WITH amount, size([done IN executed WHERE done]) + CASE WHEN executed[-1] OR unit = row.unit THEN 0 ELSE 1 END AS times
  WITH amount, sum(times) AS times
  WHERE times > 0
  RETURN amount, times
}
RETURN row.n AS n, amount, times
