// Ends the approval $uid now, by $by with $identity for the reason $reason, if it is in effect and not used up. It fails if $identity requested it. With $dry_run it changes nothing. usable reports success.
// Notifies Approval.
MATCH (a:Approval {uid: $uid}) WHERE true /* visible: a:Approval */
SET a.held = true
REMOVE a.held
WITH a, datetime.realtime() AS now, $identity IN [a.agent_key, a.asked_by] AS asked // read the clock after the lock: SET a.held waits for a concurrent use, which takes the same lock
WITH *, a.state = 'granted' AND coalesce(a.effective_at <= now, true) AND a.valid_until > now AND NOT (coalesce(a.once, false) AND a.used > 0) AND NOT asked AS usable
FOREACH (revoked IN CASE WHEN usable AND NOT $dry_run THEN [a] ELSE [] END |
  SET revoked.state = 'revoked', revoked.revoked_by = $by, revoked.revoked_at = now, revoked.revoked_reason = $reason, revoked.valid_until = now)
RETURN {uid: a.uid, state: CASE WHEN a.state = 'waiting' AND a.expires_at < datetime() THEN 'expired' WHEN a.state = 'granted' AND a.effective_at > datetime() THEN 'granting' ELSE a.state END, agent: a.agent, agent_key: a.agent_key, action: a.action, params: a.params, params_hash: a.params_hash,
    why: a.why, rules: a.rules, versions: a.versions, verdict: a.verdict, session: a.session, asked_at: a.asked_at, expires_at: a.expires_at, answered_by: a.answered_by, answered_at: a.answered_at,
    reason: a.reason, valid_until: a.valid_until, once: coalesce(a.once, false), used: a.used, risk_tier: a.risk_tier, grant_seconds: a.grant_seconds, effective_at: a.effective_at, hidden: a.hidden, project: a.project, undone: coalesce(a.undone, 0), now: now} AS approval, usable, asked, coalesce(a.renewals, 0) AS renewals
