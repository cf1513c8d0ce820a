// Returns the number of events of each kind from $from until before $until {kind: time}.
CYPHER replan=skip
CALL () {
  MATCH (n:SYS_Change) USING INDEX SEEK n:SYS_Change(at, uid)
  WHERE n.at >= $from AND n.at < $until.change AND n.uid >= ''
  RETURN 'change' AS kind, count(*) AS events
  UNION ALL
  MATCH (n:Verdict) USING INDEX SEEK n:Verdict(at, uid)
  WHERE n.at >= $from AND n.at < $until.verdict AND n.uid >= ''
  RETURN 'verdict' AS kind, count(*) AS events
  UNION ALL
  MATCH (n:Decision) USING INDEX SEEK n:Decision(created_at, uid)
  WHERE n.created_at >= $from AND n.created_at < $until.decision AND n.uid >= ''
  RETURN 'decision' AS kind, count(*) AS events
  UNION ALL
  MATCH (n:Revision) USING INDEX SEEK n:Revision(at, uid)
  WHERE n.at >= $from AND n.at < $until.revision AND n.uid >= ''
  RETURN 'revision' AS kind, count(*) AS events
  UNION ALL
  MATCH (n:Review) USING INDEX SEEK n:Review(at, uid)
  WHERE n.at >= $from AND n.at < $until.review AND n.uid >= ''
  RETURN 'review' AS kind, count(*) AS events
  UNION ALL
  MATCH (n:CircuitReset) USING INDEX SEEK n:CircuitReset(at, uid)
  WHERE n.at >= $from AND n.at < $until.reset AND n.uid >= ''
  RETURN 'reset' AS kind, count(*) AS events
  UNION ALL
  MATCH (n:Intent) USING INDEX SEEK n:Intent(at, uid)
  WHERE n.at >= $from AND n.at < $until.intent AND n.uid >= ''
  RETURN 'intent' AS kind, count(*) AS events
  UNION ALL
  MATCH (n:Voice) USING INDEX SEEK n:Voice(at, uid)
  WHERE n.at >= $from AND n.at < $until.voice AND n.uid >= ''
  RETURN 'voice' AS kind, count(*) AS events
  UNION ALL
  MATCH (n:Approval) USING INDEX SEEK n:Approval(asked_at, uid)
  WHERE n.asked_at >= $from AND n.asked_at < $until.request AND n.uid >= ''
  RETURN 'request' AS kind, count(*) AS events
  UNION ALL
  MATCH (n:Approval) USING INDEX SEEK n:Approval(answered_at, uid)
  WHERE n.answered_at >= $from AND n.answered_at < $until.answer AND n.uid >= ''
  RETURN 'answer' AS kind, count(*) AS events
  UNION ALL
  MATCH (n:TraceEvent) USING INDEX SEEK n:TraceEvent(at, uid)
  WHERE n.at >= $from AND n.at < $until.step AND n.uid >= ''
  RETURN 'step' AS kind, count(*) AS events
  UNION ALL
  MATCH (n:LinkChange) USING INDEX SEEK n:LinkChange(at, uid)
  WHERE n.at >= $from AND n.at < $until.link AND n.uid >= ''
  RETURN 'link' AS kind, count(*) AS events
  UNION ALL
  MATCH (n:Appeal) USING INDEX SEEK n:Appeal(at, uid)
  WHERE n.at >= $from AND n.at < $until.appeal AND n.uid >= ''
  RETURN 'appeal' AS kind, count(*) AS events
  UNION ALL
  MATCH (n:Appeal) USING INDEX SEEK n:Appeal(decided_at, uid)
  WHERE n.decided_at >= $from AND n.decided_at < $until.ruling AND n.uid >= ''
  RETURN 'ruling' AS kind, count(*) AS events
  UNION ALL
  MATCH (n:ProposalStep) USING INDEX SEEK n:ProposalStep(at, uid)
  WHERE n.at >= $from AND n.at < $until.proposal AND n.uid >= ''
  RETURN 'proposal' AS kind, count(*) AS events
}
RETURN kind, events
