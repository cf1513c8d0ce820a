// Revokes the grant of the approval $uid, by $by, if it has not taken effect: the request is pending again. usable reports success.
// Notifies Approval.
MATCH (a:Approval {uid: $uid})
SET a.held = true
REMOVE a.held
WITH a, a.state = 'granted' AND a.used = 0 AND coalesce(a.effective_at > datetime.realtime(), false) AS usable // read the state after the lock: SET a.held waits for a concurrent use, which takes the same lock
CALL (a, usable) {
  MATCH (a)-[answered:ANSWERED_BY]->() WHERE usable
  DELETE answered
}
FOREACH (undo IN CASE WHEN usable THEN [a] ELSE [] END |
  SET undo.state = 'waiting', undo.undone = coalesce(undo.undone, 0) + 1, undo.undone_by = $by, undo.undone_at = datetime()
  REMOVE undo.answered_by, undo.answered_at, undo.reason, undo.once, undo.valid_until, undo.effective_at)
RETURN a.uid AS uid, CASE WHEN a.state = 'waiting' AND a.expires_at < datetime() THEN 'expired' WHEN a.state = 'granted' AND a.effective_at > datetime() THEN 'granting' ELSE a.state END AS state, a.agent AS agent, a.agent_key AS agent_key, a.action AS action, a.params AS params, a.params_hash AS params_hash, a.why AS why, a.rules AS rules, a.versions AS versions, a.verdict AS verdict, a.session AS session, a.asked_at AS asked_at, a.expires_at AS expires_at, a.answered_by AS answered_by, a.answered_at AS answered_at, a.reason AS reason, a.valid_until AS valid_until, coalesce(a.once, false) AS once, a.used AS used, a.risk_tier AS risk_tier, a.grant_seconds AS grant_seconds, a.effective_at AS effective_at, a.hidden AS hidden, a.project AS project, coalesce(a.undone, 0) AS undone, usable
