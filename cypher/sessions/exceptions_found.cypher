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
WITH a, a.state = 'granted' AND a.valid_until > datetime() AS valid
WHERE $state IS NULL OR $state = CASE
    WHEN a.state = 'revoked' THEN 'revoked'
    WHEN a.state = 'granted' AND a.effective_at > datetime() THEN 'granting'
    WHEN NOT coalesce(valid, false) THEN 'expired'
    WHEN any(n IN range(0, size(a.rules) - 1) WHERE coalesce(a.versions[n], '') <> '' AND none(r IN range(0, size($rules) - 1) WHERE $rules[r] = a.rules[n] AND $versions[r] = a.versions[n])) THEN 'stale'
    ELSE 'active' END
WITH a, valid
ORDER BY valid DESC, CASE WHEN valid THEN a.valid_until.epochMillis ELSE -a.valid_until.epochMillis END, a.uid LIMIT $limit
RETURN {uid: a.uid, state: CASE WHEN a.state = 'waiting' AND a.expires_at < datetime() THEN 'expired' WHEN a.state = 'granted' AND a.effective_at > datetime() THEN 'granting' ELSE a.state END, agent: a.agent, agent_key: a.agent_key, action: a.action, params: a.params, params_hash: a.params_hash,
    why: a.why, rules: a.rules, versions: a.versions, verdict: a.verdict, session: a.session, asked_at: a.asked_at, expires_at: a.expires_at, answered_by: a.answered_by, answered_at: a.answered_at,
    reason: a.reason, valid_until: a.valid_until, once: coalesce(a.once, false), used: a.used, risk_tier: a.risk_tier, grant_seconds: a.grant_seconds, effective_at: a.effective_at, hidden: a.hidden, project: a.project, undone: coalesce(a.undone, 0), now: datetime()} AS approval,
  a.renewals AS renewals, a.renewed_by AS renewed_by, a.renewed_at AS renewed_at, a.renewed_until AS renewed_until, a.renewal_reasons AS renewal_reasons,
  a.revoked_by AS revoked_by, a.revoked_at AS revoked_at, a.revoked_reason AS revoked_reason, valid,
  COLLECT {
    MATCH (a)<-[:UNDER {decision: 'approved'}]-(e:TraceEvent)<-[:DELIBERATED_BY]-(d:Decision) WHERE true /* visible: d:Decision */
    WITH DISTINCT d ORDER BY d.created_at, d.uid LIMIT 1000
    RETURN coalesce(d.outcome, '')
  } AS outcomes
ORDER BY valid DESC, CASE WHEN valid THEN approval.valid_until.epochMillis ELSE -approval.valid_until.epochMillis END, approval.uid
