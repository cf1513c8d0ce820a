// Returns time-limited approvals (exceptions) that the caller may see, with the uid $uid, of the agent $agent and for the rule $rule (null for any). Active ones come first, by their end; then, if $ended, ended ones, newest first. $state: null for any; an exception is stale if $versions of the rules $rules are not the versions that it covers. $limit. Each has its uses and the outcomes of the decisions that used it.
CALL () {
  MATCH (a:Approval {uid: $uid}) RETURN a
  UNION
  MATCH (a:Approval) WHERE $uid IS NULL AND a.asked_at IS NOT NULL RETURN a
}
WITH a
WHERE a.state IN ['granted', 'revoked'] AND NOT coalesce(a.once, false) AND true /* visible: a:Approval */
  AND ($agent IS NULL OR a.agent_key = $agent) AND ($rule IS NULL OR $rule IN a.rules)
  AND ($ended OR a.state = 'granted' AND a.valid_until > datetime())
CALL (a) {
  UNWIND range(0, size(a.rules) - 1) AS n
  WITH a.rules[n] AS rule, coalesce(a.versions[n], '') AS version, [r IN range(0, size($rules) - 1) WHERE $rules[r] = a.rules[n] | $versions[r]] AS now
  RETURN collect({rule: rule, version: version, current: CASE WHEN version <> '' AND NOT version IN now THEN coalesce(now[0], 'removed') END}) AS lifted
}
WITH a, lifted, coalesce(a.state = 'granted' AND a.valid_until > datetime(), false) AS valid
WITH a, lifted, valid, CASE
    WHEN a.state = 'revoked' THEN 'revoked'
    WHEN a.state = 'granted' AND a.effective_at > datetime() THEN 'granting'
    WHEN NOT valid THEN 'expired'
    WHEN any(one IN lifted WHERE one.current IS NOT NULL) THEN 'stale'
    ELSE 'active' END AS state
WHERE $state IS NULL OR $state = state
WITH * ORDER BY valid DESC, CASE WHEN valid THEN a.valid_until.epochMillis ELSE -a.valid_until.epochMillis END, a.uid LIMIT $limit
CALL (a) {
  OPTIONAL MATCH (a)<-[:UNDER {decision: 'approved'}]-(:TraceEvent)<-[:DELIBERATED_BY]-(d:Decision) WHERE true /* visible: d:Decision */
  WITH collect(DISTINCT d)[..1000] AS used
  WITH [d IN used | coalesce(d.outcome, '')] AS all
  RETURN {success: size([o IN all WHERE o = 'success']), partial: size([o IN all WHERE o = 'partial']), failure: size([o IN all WHERE o = 'failure']), abandoned: size([o IN all WHERE o = 'abandoned']),
    unreviewed: size([o IN all WHERE NOT o IN ['success', 'partial', 'failure', 'abandoned']])} AS outcomes
}
RETURN a.uid AS uid, state, a.agent AS agent, a.action AS action, a.params AS params, a.hidden AS hidden, a.project AS project, lifted AS rules, a.answered_by AS answered_by, a.answered_at AS answered_at, a.reason AS reason,
  a.effective_at AS effective_at, a.valid_until AS valid_until, a.revoked_by AS revoked_by, a.revoked_at AS revoked_at, a.revoked_reason AS revoked_reason, a.used AS used, outcomes,
  [n IN range(0, size(coalesce(a.renewed_by, [])) - 1) | {by: a.renewed_by[n], at: a.renewed_at[n], until: a.renewed_until[n], reason: a.renewal_reasons[n]}] AS renewals
ORDER BY valid DESC, CASE WHEN valid THEN a.valid_until.epochMillis ELSE -a.valid_until.epochMillis END, a.uid
