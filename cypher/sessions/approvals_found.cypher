// Returns approvals, newest first, with the uid $uid (null for any) or the state $state ('' for any, so that all lists share one plan). $limit.
CALL () {
  MATCH (a:Approval {uid: $uid}) WHERE true /* visible: a:Approval */ RETURN a
  UNION
  MATCH (a:Approval) WHERE $uid IS NULL AND a.asked_at IS NOT NULL AND true /* visible: a:Approval */
    AND ($state = '' OR $state = CASE WHEN a.state = 'waiting' AND a.expires_at < datetime() THEN 'expired' WHEN a.state = 'granted' AND a.effective_at > datetime() THEN 'granting' ELSE a.state END)
  RETURN a ORDER BY a.asked_at DESC LIMIT $limit
}
RETURN a.uid AS uid, CASE WHEN a.state = 'waiting' AND a.expires_at < datetime() THEN 'expired' WHEN a.state = 'granted' AND a.effective_at > datetime() THEN 'granting' ELSE a.state END AS state, a.agent AS agent, a.asked_by AS asked_by, a.agent_key AS agent_key, a.action AS action, a.params AS params, a.params_hash AS params_hash, a.why AS why, a.rules AS rules, a.versions AS versions, a.verdict AS verdict, a.session AS session, a.asked_at AS asked_at, a.expires_at AS expires_at, a.answered_by AS answered_by, a.answered_at AS answered_at, a.reason AS reason, a.valid_until AS valid_until, coalesce(a.once, false) AS once, a.used AS used, a.risk_tier AS risk_tier, a.grant_seconds AS grant_seconds, a.effective_at AS effective_at, a.hidden AS hidden, a.project AS project, coalesce(a.undone, 0) AS undone, datetime() AS now
ORDER BY asked_at DESC
