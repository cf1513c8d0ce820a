// The acts of $agent at the stakes of $action with the reviews that count, and the requests that a person denied: one row. It reads the latest 2,000 of the latest 10,000 decisions, 200 requests, and the $threshold values that are bars. The program derives the level.
// Asks the leader, because the answer must not be outdated.
CALL () {
  MATCH (a:Agent) WHERE a.key IN [$agent, toLower(trim($written.agent))]
  WITH DISTINCT a.name AS name
  MATCH (d:Decision) USING INDEX SEEK d:Decision(agent, created_at, uid)
  WHERE d.agent = name AND d.created_at > datetime({epochMillis: 0}) AND d.uid >= ''
  WITH d ORDER BY d.created_at DESC LIMIT 10000
  WHERE d.stakes = $action.stakes AND d.external_id IS NULL // an imported record proves nothing
  WITH d ORDER BY d.created_at DESC LIMIT 2000
  CALL (d) { // a later review by the agent itself does not replace that of another
    OPTIONAL MATCH (d)-[:HAS_REVIEW]->(r:Review)
    WHERE r.by_proven = true AND coalesce(r.source, '') <> 'import' AND NOT toLower(trim(r.by)) IN [$agent, toLower(trim($written.agent))]
    RETURN r ORDER BY r.at DESC, r.number DESC LIMIT 1
  }
  CALL (d) {
    OPTIONAL MATCH (v:Verdict)-[:JUDGED]->(d)
    RETURN collect(v.overridden_by) AS overridden, count(v.forced) AS forced, max(v.model) AS model, max(v.session) AS session
  }
  RETURN {at: d.created_at, uid: d.uid, session: session, by: r.by, outcome: r.outcome, category: d.category, model: model,
    approved: 'approval' IN overridden OR EXISTS { MATCH (d)-[:DELIBERATED_BY]->(:TraceEvent)-[:UNDER {decision: 'approved'}]->(:Approval) },
    forced: forced > 0 AND NOT 'approval' IN overridden} AS act
  UNION ALL
  MATCH (a:Approval) WHERE a.agent_key = $agent AND a.params_hash IS NOT NULL AND a.state = 'denied' AND a.by_proven = true AND coalesce(a.risk_tier, a.stakes, 'medium') = $action.stakes
  WITH a ORDER BY a.answered_at DESC LIMIT 200
  RETURN {at: a.asked_at, uid: a.uid, session: a.session, by: a.answered_by, outcome: 'denied', category: null, model: null, approved: false, forced: false} AS act
}
WITH act ORDER BY act.at, act.uid
WITH collect(act) AS acts // one row, also without acts
RETURN acts, $threshold.autonomy_trusted_bar AS trusted, $threshold.autonomy_autonomous_bar AS autonomous, $threshold.autonomy_trusted_floor AS trusted_floor, $threshold.autonomy_autonomous_floor AS autonomous_floor
