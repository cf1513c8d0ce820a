// Finds a grant of the agent $key for $hash that covers the rules $rules in the versions $versions, and uses it if $use. Otherwise it returns the current rejection, otherwise the pending request. Otherwise, if $create, it creates a request. $request.only limits it to one approval; null for any. $request is a map, so that the server plans this statement once for all texts and nulls in it: uid, agent, action, params, why, verdict, the risk declared by an atlas, the stakes of the check, hidden paths and the project. The action was reported in the session with session_uid and hashed with the key key_id. by_key requests the approval, which is pending for $seconds. elsewhere reports an answer or a request whose hash was made with another key. If all rules state a time, the shortest is the validity of the grant.
MERGE (lock:SYS_Lock {name: 'approvals ' + $key})
SET lock.held = true
REMOVE lock.held
WITH lock
CALL () {
  OPTIONAL MATCH (a:Approval {agent_key: $key, params_hash: $hash})
  WHERE ($request.only IS NULL OR a.uid = $request.only) AND all(place IN range(0, size($rules) - 1) WHERE any(n IN range(0, size(a.rules) - 1) WHERE a.rules[n] = $rules[place] AND a.versions[n] = $versions[place]))
    AND (a.state = 'granted' AND a.valid_until > datetime() AND (NOT a.once OR a.used = 0) OR a.state IN ['denied', 'waiting'] AND a.expires_at > datetime())
  RETURN a ORDER BY CASE WHEN a.state = 'granted' AND coalesce(a.effective_at <= datetime(), true) THEN 0 WHEN a.state = 'denied' THEN 1 WHEN a.state = 'granted' THEN 2 ELSE 3 END, a.asked_at DESC LIMIT 1
}
FOREACH (found IN CASE WHEN a IS NULL THEN [] ELSE [a] END | // wait for a concurrent undo
  SET found.held = true
  REMOVE found.held)
WITH a, a IS NULL AND EXISTS {
  MATCH (o:Approval {action: $request.action})
  WHERE o.asked_at > datetime() - duration('P31D') AND o.agent_key = $key AND o.params = $request.params AND coalesce(o.key_id, '') <> $request.key_id AND coalesce(o.valid_until, o.expires_at) > datetime() AND ($request.only IS NULL OR o.uid = $request.only)
} AS elsewhere
CALL (a) {
  UNWIND CASE WHEN a IS NULL THEN $rules ELSE [] END AS name
  OPTIONAL MATCH (p:SYS_Policy {name: name}) WHERE p.grant_seconds IS :: INTEGER NOT NULL AND p.grant_seconds > 0
  WITH name, min(p.grant_seconds) AS seconds
  RETURN CASE WHEN count(seconds) = size($rules) THEN min(seconds) END AS stated
}
FOREACH (none IN CASE WHEN a IS NULL AND $create THEN [1] ELSE [] END |
  CREATE (:Approval {uid: $request.uid, schema_version: 1, state: 'waiting', agent: $request.agent, agent_key: $key, action: $request.action, params: $request.params, params_hash: $hash, why: $request.why, rules: $rules, versions: $versions,
    verdict: $request.verdict, key_id: $request.key_id, hidden: $request.hidden, project: $request.project, session: $request.session, session_uid: $request.session_uid, asked_by: $request.by_key, asked_at: datetime(), expires_at: datetime() + duration({seconds: $seconds}), used: 0, risk_tier: $request.risk, stakes: $request.stakes, grant_seconds: stated}))
FOREACH (use IN CASE WHEN $use AND a.state = 'granted' AND coalesce(a.effective_at <= datetime(), true) THEN [a] ELSE [] END | SET use.used = use.used + 1)
WITH coalesce(a.uid, $request.uid) AS uid, elsewhere
MATCH (a:Approval {uid: uid})
RETURN a.uid AS uid, CASE WHEN a.state = 'waiting' AND a.expires_at < datetime() THEN 'expired' WHEN a.state = 'granted' AND a.effective_at > datetime() THEN 'granting' ELSE a.state END AS state, a.agent AS agent, a.agent_key AS agent_key, a.action AS action, a.params AS params, a.params_hash AS params_hash, a.why AS why, a.rules AS rules, a.versions AS versions, a.verdict AS verdict, a.session AS session, a.asked_at AS asked_at, a.expires_at AS expires_at, a.answered_by AS answered_by, a.answered_at AS answered_at, a.reason AS reason, a.valid_until AS valid_until, coalesce(a.once, false) AS once, a.used AS used, a.risk_tier AS risk_tier, a.grant_seconds AS grant_seconds, a.effective_at AS effective_at, a.hidden AS hidden, a.project AS project, coalesce(a.undone, 0) AS undone, elsewhere
