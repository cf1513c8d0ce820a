// Extends the time-limited approval $uid, by $by with $identity for the reason $reason. It then ends $seconds from now (0: as long as it was valid before). It fails if the approval is not in effect, covers other versions than $versions of the rules $rules, would end earlier, or if $identity requested it. With $dry_run it changes nothing. usable reports success; until is the new end.
// Notifies Approval.
MATCH (a:Approval {uid: $uid}) WHERE true /* visible: a:Approval */
SET a.held = true
REMOVE a.held
WITH a, datetime.realtime() AS now, $identity IN [a.agent_key, a.asked_by] AS asked, // read the clock after the lock: SET a.held waits for a concurrent answer, which takes the same lock
  all(n IN range(0, size(a.rules) - 1) WHERE any(r IN range(0, size($rules) - 1) WHERE $rules[r] = a.rules[n] AND $versions[r] = a.versions[n]) OR NOT a.rules[n] IN $rules AND a.versions[n] = '') AS same
WITH *, now + duration({seconds: CASE WHEN $seconds > 0 THEN $seconds ELSE duration.inSeconds(coalesce(a.renewed_at[-1], a.effective_at, a.answered_at), a.valid_until).seconds END}) AS until
WITH *, a.state = 'granted' AND NOT coalesce(a.once, false) AND coalesce(a.effective_at <= now, true) AND a.valid_until > now AND same AND NOT asked AND until > a.valid_until AS usable
FOREACH (renewed IN CASE WHEN usable AND NOT $dry_run THEN [a] ELSE [] END |
  SET renewed.renewals = coalesce(renewed.renewals, 0) + 1, renewed.renewed_by = coalesce(renewed.renewed_by, []) + $by, renewed.renewed_at = coalesce(renewed.renewed_at, []) + now,
    renewed.renewed_until = coalesce(renewed.renewed_until, []) + until, renewed.renewal_reasons = coalesce(renewed.renewal_reasons, []) + $reason, renewed.valid_until = until)
RETURN {uid: a.uid, state: CASE WHEN a.state = 'waiting' AND a.expires_at < datetime() THEN 'expired' WHEN a.state = 'granted' AND a.effective_at > datetime() THEN 'granting' ELSE a.state END, agent: a.agent, agent_key: a.agent_key, action: a.action, params: a.params, params_hash: a.params_hash,
    why: a.why, rules: a.rules, versions: a.versions, verdict: a.verdict, session: a.session, asked_at: a.asked_at, expires_at: a.expires_at, answered_by: a.answered_by, answered_at: a.answered_at,
    reason: a.reason, valid_until: a.valid_until, once: coalesce(a.once, false), used: a.used, risk_tier: a.risk_tier, grant_seconds: a.grant_seconds, effective_at: a.effective_at, hidden: a.hidden, project: a.project, undone: coalesce(a.undone, 0), now: now} AS approval, usable, asked, same, until, coalesce(a.renewals, 0) AS renewals
