// Returns the approval $uid, then at most 10 answers to earlier requests for the same action: those with the same parameters first, then the newest. Each has the actions that used it, and the decisions whose deliberation contains them.
MATCH (asked:Approval {uid: $uid}) WHERE true /* visible: asked:Approval */
CALL (asked) {
  RETURN asked AS a, 0 AS place, true AS same
  UNION ALL
  MATCH (a:Approval)
  WHERE toLower(trim(a.action)) = toLower(trim(asked.action)) AND a.state IN ['granted', 'denied', 'revoked'] AND coalesce(a.effective_at <= datetime(), true) AND a <> asked
    AND a.asked_at <= coalesce(asked.answered_at, datetime()) AND a.answered_at <= coalesce(asked.answered_at, datetime()) AND true /* visible: a:Approval */
  WITH a, coalesce(a.params = asked.params, false) AS same
  RETURN a, 1 AS place, same ORDER BY same DESC, a.asked_at DESC, a.uid LIMIT 10
}
WITH a, place, same ORDER BY place, same DESC, a.asked_at DESC, a.uid
RETURN {uid: a.uid, state: CASE WHEN a.state = 'waiting' AND a.expires_at < datetime() THEN 'expired' WHEN a.state = 'granted' AND a.effective_at > datetime() THEN 'granting' ELSE a.state END, agent: a.agent, agent_key: a.agent_key, asked_by: a.asked_by, action: a.action, params: a.params, params_hash: a.params_hash,
    why: a.why, rules: a.rules, versions: a.versions, verdict: a.verdict, session: a.session, asked_at: a.asked_at, expires_at: a.expires_at, answered_by: a.answered_by, answered_at: a.answered_at,
    reason: a.reason, valid_until: a.valid_until, once: coalesce(a.once, false), used: a.used, risk_tier: a.risk_tier, grant_seconds: a.grant_seconds, effective_at: a.effective_at, hidden: a.hidden, project: a.project, undone: coalesce(a.undone, 0)} AS approval,
  COLLECT {
    MATCH (a)<-[:UNDER {decision: 'approved'}]-(e:TraceEvent)
    WITH e ORDER BY e.at DESC LIMIT 10
    RETURN {trace_id: e.uid, at: e.at, session: [(s:Session)-[:RECORDED]->(e) | s.id][0],
      outcomes: COLLECT { MATCH (d:Decision)-[:DELIBERATED_BY]->(e) WHERE true /* visible: d:Decision */ RETURN {id: d.id, outcome: d.outcome} ORDER BY d.created_at LIMIT 10 }}
  } AS done
