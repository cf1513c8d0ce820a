// Takes the locks $locks in their order until the transaction ends. Then it returns n and used of each of $limits {n, agent, rule, since}: used is the amount that verdicts after since used. Amounts of 0 or less are ignored.
UNWIND $locks AS name
MERGE (lock:SYS_Lock {name: name})
SET lock.held = true
REMOVE lock.held
WITH count(*) AS locked // all locks are taken before the first verdict is read
UNWIND $limits AS row
CALL (row) {
  MATCH (v:Verdict) USING INDEX SEEK v:Verdict(counted_for, at)
  WHERE v.counted_for = row.agent AND v.at > row.since AND row.rule IN v.counted
  WITH [n IN range(0, size(v.counted) - 1) WHERE v.counted[n] = row.rule | v.amounts[n]][0] AS amount
  WHERE amount > 0
  RETURN sum(amount) AS used
}
RETURN row.n AS n, toFloat(used) AS used
