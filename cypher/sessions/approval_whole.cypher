// The approval $uid, up to 10 answers to requests for the same action before it, and the outcomes of decisions made after it in its session.
MATCH (approval:Approval {uid: $uid})
RETURN COLLECT { WITH approval AS a RETURN {uid: a.uid, state: CASE WHEN a.state = 'waiting' AND a.expires_at < datetime() THEN 'expired' ELSE a.state END, agent: a.agent, agent_key: a.agent_key, action: a.action, params: a.params, params_hash: a.params_hash,
       why: a.why, rules: a.rules, versions: a.versions, verdict: a.verdict, session: a.session, asked_at: a.asked_at, expires_at: a.expires_at, answered_by: a.answered_by, answered_at: a.answered_at,
       reason: a.reason, valid_until: a.valid_until, once: coalesce(a.once, false), used: a.used} }[0] AS approval,
       COLLECT { MATCH (a:Approval) WHERE a.action = approval.action AND a.state IN ['granted', 'denied'] AND a.uid <> $uid AND a.asked_at <= approval.asked_at
                 WITH a ORDER BY a.asked_at DESC LIMIT 10 RETURN {uid: a.uid, state: CASE WHEN a.state = 'waiting' AND a.expires_at < datetime() THEN 'expired' ELSE a.state END, agent: a.agent, agent_key: a.agent_key, action: a.action, params: a.params, params_hash: a.params_hash,
       why: a.why, rules: a.rules, versions: a.versions, verdict: a.verdict, session: a.session, asked_at: a.asked_at, expires_at: a.expires_at, answered_by: a.answered_by, answered_at: a.answered_at,
       reason: a.reason, valid_until: a.valid_until, once: coalesce(a.once, false), used: a.used} } AS precedents,
       COLLECT { MATCH (approval)<-[:UNDER]-(e:TraceEvent)<-[:DELIBERATED_BY]-(d:Decision) WHERE d.outcome IS NOT NULL RETURN DISTINCT d.outcome } AS outcomes
