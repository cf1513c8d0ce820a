// A limit: one row where what was allowed to $agent within $rule.limit_seconds before $now, as verdicts counted it for $rule, and what $action adds come to more than $rule.limit_most; also where the action does not say how much it adds.
WITH CASE $rule.limit_of WHEN 'calls' THEN 1.0 ELSE $action.params[substring($rule.limit_of, 7)] END AS given
WITH CASE WHEN given IS :: INTEGER NOT NULL OR given IS :: FLOAT NOT NULL THEN toFloat(given) END AS amount // what a verdict counts, and no text
CALL () {
  MATCH (v:Verdict)
  WHERE v.counted_for = $agent AND v.at > $now - duration({seconds: $rule.limit_seconds}) AND $rule.name IN v.counted
  WITH [n IN range(0, size(v.counted) - 1) WHERE v.counted[n] = $rule.name | v.amounts[n]][0] AS before
  WHERE before > 0
  RETURN sum(before) AS used
}
WITH amount, used
WHERE NOT coalesce(amount >= 0 AND used + amount <= $rule.limit_most, false)
RETURN used, amount, $rule.limit_most AS most, $rule.limit_seconds AS seconds
