// A limit: one row where what was allowed to $agent within $rule.limit_seconds before $now, as verdicts counted it for $rule, and what $action adds come to more than $rule.limit_most; also where the action does not say how much it adds.
WITH CASE $rule.limit_of WHEN 'calls' THEN 1.0 ELSE toFloatOrNull($action.params[substring($rule.limit_of, 7)]) END AS amount
CALL () {
  MATCH (v:Verdict)
  WHERE v.counted_for = $agent AND v.at > $now - duration({seconds: $rule.limit_seconds}) AND $rule.name IN v.counted
  RETURN sum([n IN range(0, size(v.counted) - 1) WHERE v.counted[n] = $rule.name | v.amounts[n]][0]) AS used
}
WITH amount, used
WHERE amount IS NULL OR amount < 0 OR used + amount > $rule.limit_most
RETURN used, amount, $rule.limit_most AS most, $rule.limit_seconds AS seconds
