// Answers the approval $uid with $state, by $by (the agent $key with $identity, authenticated if $proven) for the reason $reason. It fails if the approval was answered or has expired, or if $identity requested it. A grant takes effect after $delay milliseconds and is then valid for $seconds (0: for the time of the rules, or, if they have none, once within $usual). usable reports success.
// Notifies Approval.
MATCH (a:Approval {uid: $uid})
SET a.held = true
REMOVE a.held
WITH a, a.state = 'waiting' AND a.expires_at > datetime() AND NOT $identity IN [a.agent_key, a.asked_by] AS usable, $identity IN [a.agent_key, a.asked_by] AS asked,
  CASE WHEN $state = 'granted' THEN datetime() + duration({milliseconds: $delay}) END AS effective
FOREACH (answer IN CASE WHEN usable THEN [a] ELSE [] END |
  SET answer.state = $state, answer.answered_by = $by, answer.by_proven = $proven, answer.reason = $reason, answer.answered_at = datetime(), answer.once = $state = 'granted' AND $seconds = 0 AND answer.grant_seconds IS NULL,
    answer.effective_at = effective, answer.valid_until = effective + duration({seconds: CASE WHEN $seconds > 0 THEN $seconds ELSE coalesce(answer.grant_seconds, $usual) END}))
FOREACH (who IN CASE WHEN usable THEN [$key] ELSE [] END | MERGE (p:Agent {key: who}) ON CREATE SET p.name = $by, p.uid = randomUUID(), p.schema_version = 1 MERGE (a)-[:ANSWERED_BY]->(p))
RETURN a.uid AS uid, CASE WHEN a.state = 'waiting' AND a.expires_at < datetime() THEN 'expired' WHEN a.state = 'granted' AND a.effective_at > datetime() THEN 'granting' ELSE a.state END AS state, a.agent AS agent, a.agent_key AS agent_key, a.action AS action, a.params AS params, a.params_hash AS params_hash, a.why AS why, a.rules AS rules, a.versions AS versions, a.verdict AS verdict, a.session AS session, a.asked_at AS asked_at, a.expires_at AS expires_at, a.answered_by AS answered_by, a.answered_at AS answered_at, a.reason AS reason, a.valid_until AS valid_until, coalesce(a.once, false) AS once, a.used AS used, a.risk_tier AS risk_tier, a.grant_seconds AS grant_seconds, a.effective_at AS effective_at, a.hidden AS hidden, a.project AS project, coalesce(a.undone, 0) AS undone, usable, asked
