// Returns the events from $since {kind: time} on whose uids are not in $seen {uid: true}, oldest first, at most $limit of each kind, and the clock. $seen is a map with one type at any size, so that the server plans this statement once.
CYPHER replan=skip
CALL () {
  MATCH (n:SYS_Change) USING INDEX SEEK n:SYS_Change(at, uid)
  WHERE n.at >= $since.change AND n.uid >= '' AND $seen[n.uid] IS NULL
  WITH n ORDER BY n.at, n.uid LIMIT $limit
  CALL (n) {
    UNWIND [n.from, n.to] AS hash
    WITH DISTINCT n, hash
    MATCH (v:SYS_Version {hash: hash, of: n.label}) USING INDEX v:SYS_Version(hash)
    RETURN collect(v) AS versions
  }
  RETURN 'change' AS kind, n.at AS at, n.uid AS uid, properties(n) AS own, null AS decision, versions, null AS intent
  UNION ALL
  MATCH (n:Verdict) USING INDEX SEEK n:Verdict(at, uid)
  WHERE n.at >= $since.verdict AND n.uid >= '' AND $seen[n.uid] IS NULL
  WITH n ORDER BY n.at, n.uid LIMIT $limit
  RETURN 'verdict' AS kind, n.at AS at, n.uid AS uid, n {.allowed, .enforced, .agent, .project, .stakes, .category, .name, .description, .objections, .revision, .forced, judged: [(n)-[:JUDGED]->(d:Decision) | d {.project, .visibility, .agent}]} AS own, null AS decision, [] AS versions, null AS intent
  UNION ALL
  MATCH (n:Decision) USING INDEX SEEK n:Decision(created_at, uid)
  WHERE n.created_at >= $since.decision AND n.uid >= '' AND $seen[n.uid] IS NULL
  WITH n ORDER BY n.created_at, n.uid LIMIT $limit
  RETURN 'decision' AS kind, n.created_at AS at, n.uid AS uid, {} AS own, n {.id, .decision, .category, .stakes, .status, .outcome, .project, .agent, .tags, .pattern, .source_status, .external_id, .retracted_at, .confidence, .created_at, .visibility} AS decision, [] AS versions, null AS intent
  UNION ALL
  MATCH (n:Revision) USING INDEX SEEK n:Revision(at, uid)
  WHERE n.at >= $since.revision AND n.uid >= '' AND $seen[n.uid] IS NULL
  WITH n ORDER BY n.at, n.uid LIMIT $limit
  OPTIONAL MATCH (d:Decision)-[:HAS_REVISION]->(n)
  RETURN 'revision' AS kind, n.at AS at, n.uid AS uid, n {.number, .by, .why} AS own, d {.id, .decision, .category, .stakes, .status, .outcome, .project, .agent, .tags, .pattern, .source_status, .external_id, .retracted_at, .confidence, .created_at, .visibility} AS decision, [] AS versions, null AS intent
  UNION ALL
  MATCH (n:Review) USING INDEX SEEK n:Review(at, uid)
  WHERE n.at >= $since.review AND n.uid >= '' AND $seen[n.uid] IS NULL
  WITH n ORDER BY n.at, n.uid LIMIT $limit
  OPTIONAL MATCH (d:Decision)-[:HAS_REVIEW]->(n)
  RETURN 'review' AS kind, n.at AS at, n.uid AS uid, n {.number, .outcome, .by, .actual_result, .lessons, .in_force} AS own, d {.id, .decision, .category, .stakes, .status, .outcome, .project, .agent, .tags, .pattern, .source_status, .external_id, .retracted_at, .confidence, .created_at, .visibility} AS decision, [] AS versions, null AS intent
  UNION ALL
  MATCH (n:CircuitReset) USING INDEX SEEK n:CircuitReset(at, uid)
  WHERE n.at >= $since.reset AND n.uid >= '' AND $seen[n.uid] IS NULL
  WITH n ORDER BY n.at, n.uid LIMIT $limit
  RETURN 'reset' AS kind, n.at AS at, n.uid AS uid, n {.scope, .by, .reason, .probe_first} AS own, null AS decision, [] AS versions, null AS intent
  UNION ALL
  MATCH (n:Intent) USING INDEX SEEK n:Intent(at, uid)
  WHERE n.at >= $since.intent AND n.uid >= '' AND $seen[n.uid] IS NULL
  WITH n ORDER BY n.at, n.uid LIMIT $limit
  RETURN 'intent' AS kind, n.at AS at, n.uid AS uid, {} AS own, null AS decision, [] AS versions, properties(n) AS intent
  UNION ALL
  MATCH (n:Voice) USING INDEX SEEK n:Voice(at, uid)
  WHERE n.at >= $since.voice AND n.uid >= '' AND $seen[n.uid] IS NULL
  WITH n ORDER BY n.at, n.uid LIMIT $limit
  OPTIONAL MATCH (n)-[:ON]->(i:Intent)
  RETURN 'voice' AS kind, n.at AS at, n.uid AS uid, properties(n) AS own, null AS decision, [] AS versions, properties(i) AS intent
  UNION ALL
  MATCH (n:Approval) USING INDEX SEEK n:Approval(asked_at, uid)
  WHERE n.asked_at >= $since.request AND n.uid >= '' AND $seen[n.uid] IS NULL
  WITH n ORDER BY n.asked_at, n.uid LIMIT $limit
  RETURN 'request' AS kind, n.asked_at AS at, n.uid AS uid, n {.action, .agent, .agent_key, .params, .params_hash, .why, .rules, .versions, .verdict, .session, .asked_at, .expires_at, .answered_by, .answered_at, .reason, .valid_until, .once, .used, .risk_tier, .grant_seconds, .effective_at, .hidden, .project, .asked_by, uid: n.uid, state: CASE WHEN n.state = 'waiting' AND n.expires_at < datetime() THEN 'expired' WHEN n.state = 'granted' AND n.effective_at > datetime.realtime() THEN 'granting' ELSE n.state END} AS own, null AS decision, [] AS versions, null AS intent
  UNION ALL
  MATCH (n:Approval) USING INDEX SEEK n:Approval(answered_at, uid)
  WHERE n.answered_at >= $since.answer AND n.uid >= '' AND $seen['answer ' + n.uid + ' ' + toString(n.answered_at.epochMillis)] IS NULL // 'answer' distinguishes the key from that of the request, which has the same uid
  WITH n ORDER BY n.answered_at, n.uid LIMIT $limit
  RETURN 'answer' AS kind, n.answered_at AS at, n.uid AS uid, n {.action, .agent, .agent_key, .params, .params_hash, .why, .rules, .versions, .verdict, .session, .asked_at, .expires_at, .answered_by, .answered_at, .reason, .valid_until, .once, .used, .risk_tier, .grant_seconds, .effective_at, .hidden, .project, .asked_by, uid: n.uid, state: CASE WHEN n.state = 'waiting' AND n.expires_at < datetime() THEN 'expired' WHEN n.state = 'granted' AND n.effective_at > datetime.realtime() THEN 'granting' ELSE n.state END} AS own, null AS decision, [] AS versions, null AS intent
  UNION ALL
  MATCH (n:TraceEvent) USING INDEX SEEK n:TraceEvent(at, uid)
  WHERE n.at >= $since.step AND n.uid >= '' AND $seen[n.uid] IS NULL
  WITH n ORDER BY n.at, n.uid LIMIT $limit
  RETURN 'step' AS kind, n.at AS at, n.uid AS uid, n {.session, .seq, .type, .agent, .payload, .hash, session_id: [(s:Session)-[:RECORDED]->(n) | s.id][0]} AS own, null AS decision, [] AS versions, null AS intent
  UNION ALL
  MATCH (n:LinkChange) USING INDEX SEEK n:LinkChange(at, uid)
  WHERE n.at >= $since.link AND n.uid >= '' AND $seen[n.uid] IS NULL
  WITH n ORDER BY n.at, n.uid LIMIT $limit
  RETURN 'link' AS kind, n.at AS at, n.uid AS uid, n {.by, .kind, .type, .weight, .context, ends: [[(n)-[:LINKED_FROM]->(d:Decision) | d {.id, .project, .visibility, .agent}][0], [(n)-[:LINKED_TO]->(d:Decision) | d {.id, .project, .visibility, .agent}][0]]} AS own, null AS decision, [] AS versions, null AS intent
  UNION ALL
  MATCH (n:Appeal) USING INDEX SEEK n:Appeal(at, uid)
  WHERE n.at >= $since.appeal AND n.uid >= '' AND $seen[n.uid] IS NULL
  WITH n ORDER BY n.at, n.uid LIMIT $limit
  RETURN 'appeal' AS kind, n.at AS at, n.uid AS uid, n {.uid, .verdict, .state, .reason, .at, .agent, .asked_by, .project, .category, .stakes, .description, .rules, .decided_by, .answer, .decided_at, judged: [(n)-[:AGAINST]->(:Verdict)-[:JUDGED]->(d:Decision) | d {.project, .visibility, .agent}]} AS own, null AS decision, [] AS versions, null AS intent
  UNION ALL
  MATCH (n:Appeal) USING INDEX SEEK n:Appeal(decided_at, uid)
  WHERE n.decided_at >= $since.ruling AND n.uid >= '' AND $seen['ruling ' + n.uid] IS NULL // 'ruling' distinguishes the key from that of the appeal, which has the same uid
  WITH n ORDER BY n.decided_at, n.uid LIMIT $limit
  RETURN 'ruling' AS kind, n.decided_at AS at, n.uid AS uid, n {.uid, .verdict, .state, .reason, .at, .agent, .asked_by, .project, .category, .stakes, .description, .rules, .decided_by, .answer, .decided_at, judged: [(n)-[:AGAINST]->(:Verdict)-[:JUDGED]->(d:Decision) | d {.project, .visibility, .agent}]} AS own, null AS decision, [] AS versions, null AS intent
  UNION ALL
  MATCH (n:ProposalStep) USING INDEX SEEK n:ProposalStep(at, uid)
  WHERE n.at >= $since.proposal AND n.uid >= '' AND $seen[n.uid] IS NULL
  WITH n ORDER BY n.at, n.uid LIMIT $limit
  OPTIONAL MATCH (p:Proposal)-[:HAS_STEP]->(n)
  RETURN 'proposal' AS kind, n.at AS at, n.uid AS uid, p {.uid, .words, .project, .proposer, .proposed_by, state: n.state, by: n.by, why: n.reason} AS own, null AS decision, [] AS versions, null AS intent
}
WITH kind, at, uid, own, decision, versions, intent ORDER BY at, uid LIMIT $limit
WITH collect({kind: kind, at: at, uid: uid, own: own, decision: decision, versions: versions, intent: intent}) AS events
RETURN datetime() AS now, events
