// A circuit breaker: one row where it blocks, or where $action.phase is 'circuit'. It replays the last reviews of the scope of $rule up to $now, with the $threshold values that $rule names.
WITH split($rule.circuit_scope, ':')[0] AS kind, trim(substring($rule.circuit_scope, size(split($rule.circuit_scope, ':')[0]) + 1)) AS name,
     toInteger(ceil($threshold[$rule.circuit_failures])) AS most,
     toInteger($threshold[$rule.circuit_window_hours] * 3600000) AS window,
     toInteger($threshold[$rule.circuit_cooldown_hours] * 3600000) AS cooldown,
     COLLECT {
       MATCH (r:CircuitReset) WHERE r.scope = $rule.circuit_scope AND r.at IS NOT NULL
       RETURN r ORDER BY r.scope DESC, r.at DESC LIMIT 1
     }[0] AS reset
// One of these is not null. Seeking null finds nothing, so only one branch of those below does anything.
WITH most, window, cooldown, reset, coalesce(reset.at, datetime({epochMillis: 0})) AS since, kind = 'global' AS all,
     CASE kind WHEN 'stakes' THEN name END AS stakes, CASE kind WHEN 'category' THEN name END AS category,
     CASE kind WHEN 'tag' THEN toLower(name) END AS tag,
     CASE kind WHEN 'agent' THEN COLLECT { MATCH (a:Agent {key: toLower(name)}) RETURN a.name }[0] END AS agent
WITH *, ['success', 'failure', 'abandoned'] AS ends
CALL (all, stakes, category, agent, tag, since, ends) {
  CALL (all, stakes, category, agent, tag, since, ends) {
    MATCH (d:Decision) USING INDEX SEEK d:Decision(reviewed_at, uid) WHERE d.reviewed_at > CASE WHEN all THEN since END AND d.reviewed_at <= $now AND d.uid IS NOT NULL AND d.outcome IN ends
    RETURN d ORDER BY d.reviewed_at DESC, d.uid DESC LIMIT 200
    UNION ALL
    MATCH (d:Decision) USING INDEX SEEK d:Decision(stakes, reviewed_at) WHERE d.stakes = stakes AND d.reviewed_at > since AND d.reviewed_at <= $now AND d.outcome IN ends
    RETURN d ORDER BY d.stakes DESC, d.reviewed_at DESC LIMIT 200
    UNION ALL
    MATCH (d:Decision) USING INDEX SEEK d:Decision(category, reviewed_at) WHERE d.category = category AND d.reviewed_at > since AND d.reviewed_at <= $now AND d.outcome IN ends
    RETURN d ORDER BY d.category DESC, d.reviewed_at DESC LIMIT 200
    UNION ALL
    MATCH (d:Decision) USING INDEX SEEK d:Decision(agent, reviewed_at) WHERE d.agent = agent AND d.reviewed_at > since AND d.reviewed_at <= $now AND d.outcome IN ends
    RETURN d ORDER BY d.agent DESC, d.reviewed_at DESC LIMIT 200
    UNION ALL
    MATCH (:Tag {key: tag})<-[:TAGGED]-(d:Decision) WHERE d.reviewed_at > since AND d.reviewed_at <= $now AND d.outcome IN ends
    RETURN d ORDER BY d.reviewed_at DESC, d.uid DESC LIMIT 200
  }
  WITH d ORDER BY d.reviewed_at, d.uid
  RETURN collect(d {.reviewed_at, .created_at, .outcome}) AS reviewed
}
// past: while closed, the times of the failures since the last success; while open, minus the time when it opened, and how
// many failures opened it and kept it open. Open, it ignores all but a decision made after the cooldown: the probe.
WITH most, window, cooldown, all, stakes, category, agent, tag, duration({milliseconds: cooldown}) AS pause,
     reduce(past = CASE WHEN reset.probe_first THEN [cooldown - reset.at.epochMillis, 0] ELSE [] END, d IN reviewed |
       CASE WHEN past[0] < 0 AND d.created_at.epochMillis + past[0] < cooldown THEN past
            WHEN d.outcome = 'success' THEN []
            WHEN past[0] < 0 THEN [-d.reviewed_at.epochMillis, past[1] + 1]
            WHEN (past + [d.reviewed_at.epochMillis])[-most] >= d.reviewed_at.epochMillis - window THEN [-d.reviewed_at.epochMillis, most]
            ELSE past + [d.reviewed_at.epochMillis] END) AS past
WITH *, CASE WHEN past[0] < 0 THEN datetime({epochMillis: -past[0]}) END AS opened
WITH *, opened + pause AS opens
WITH *, CASE WHEN opened IS NULL THEN 'closed' WHEN $now < opens THEN 'open' ELSE 'half_open' END AS state,
     // While half-open, the first decision since then that nobody has reviewed is the probe, until it is one cooldown old.
     CASE WHEN $now >= opens THEN CASE WHEN opens > $now - pause THEN opens ELSE $now - pause END END AS from
CALL (all, stakes, category, agent, tag, from) {
  CALL (all, stakes, category, agent, tag, from) {
    MATCH (d:Decision) USING INDEX SEEK d:Decision(created_at, uid) WHERE d.created_at >= CASE WHEN all THEN from END AND d.created_at <= $now AND d.uid IS NOT NULL AND d.reviewed_at IS NULL
    RETURN d ORDER BY d.created_at, d.uid LIMIT 1
    UNION ALL
    MATCH (d:Decision) USING INDEX SEEK d:Decision(stakes, created_at, uid) WHERE d.stakes = stakes AND d.created_at >= from AND d.created_at <= $now AND d.uid IS NOT NULL AND d.reviewed_at IS NULL
    RETURN d ORDER BY d.stakes, d.created_at, d.uid LIMIT 1
    UNION ALL
    MATCH (d:Decision) USING INDEX SEEK d:Decision(category, created_at, uid) WHERE d.category = category AND d.created_at >= from AND d.created_at <= $now AND d.uid IS NOT NULL AND d.reviewed_at IS NULL
    RETURN d ORDER BY d.category, d.created_at, d.uid LIMIT 1
    UNION ALL
    MATCH (d:Decision) USING INDEX SEEK d:Decision(agent, created_at, uid) WHERE d.agent = agent AND d.created_at >= from AND d.created_at <= $now AND d.uid IS NOT NULL AND d.reviewed_at IS NULL
    RETURN d ORDER BY d.agent, d.created_at, d.uid LIMIT 1
    UNION ALL
    MATCH (:Tag {key: tag})<-[:TAGGED]-(d:Decision) WHERE d.created_at >= from AND d.created_at <= $now AND d.reviewed_at IS NULL
    RETURN d ORDER BY d.created_at, d.uid LIMIT 1
  }
  RETURN collect(d)[0] AS probe
}
WITH *, state = 'open' OR probe IS NOT NULL AS blocked, probe.created_at + pause AS expires
WHERE blocked OR $action.phase = 'circuit'
RETURN state, CASE state WHEN 'closed' THEN size([at IN past WHERE at >= $now.epochMillis - window]) ELSE past[1] END AS failures,
       most AS failure_threshold, opened AS opened_at, opens AS half_open_at, probe.id AS probe_id, expires AS probe_expires_at,
       coalesce(expires, opens) AS until, blocked,
       CASE WHEN probe IS NOT NULL THEN 'its probe ' + probe.id + ' is not reviewed yet' WHEN blocked THEN 'its cooldown has not ended' END AS why
