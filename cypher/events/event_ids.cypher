// Returns the kind, time and uid of each event since its kind's time in $since {kind: time}, and the database's clock.
CYPHER replan=skip
CALL () {
  MATCH (n:SYS_Change) USING INDEX SEEK n:SYS_Change(at, uid)
  WHERE n.at >= $since.change AND n.uid >= ''
  RETURN 'change' AS kind, n.at AS at, n.uid AS uid
  UNION ALL
  MATCH (n:Verdict) USING INDEX SEEK n:Verdict(at, uid)
  WHERE n.at >= $since.verdict AND n.uid >= ''
  RETURN 'verdict' AS kind, n.at AS at, n.uid AS uid
  UNION ALL
  MATCH (n:Decision) USING INDEX SEEK n:Decision(created_at, uid)
  WHERE n.created_at >= $since.decision AND n.uid >= ''
  RETURN 'decision' AS kind, n.created_at AS at, n.uid AS uid
  UNION ALL
  MATCH (n:Revision) USING INDEX SEEK n:Revision(at, uid)
  WHERE n.at >= $since.revision AND n.uid >= ''
  RETURN 'revision' AS kind, n.at AS at, n.uid AS uid
  UNION ALL
  MATCH (n:Review) USING INDEX SEEK n:Review(at, uid)
  WHERE n.at >= $since.review AND n.uid >= ''
  RETURN 'review' AS kind, n.at AS at, n.uid AS uid
  UNION ALL
  MATCH (n:CircuitReset) USING INDEX SEEK n:CircuitReset(at, uid)
  WHERE n.at >= $since.reset AND n.uid >= ''
  RETURN 'reset' AS kind, n.at AS at, n.uid AS uid
  UNION ALL
  MATCH (n:Intent) USING INDEX SEEK n:Intent(at, uid)
  WHERE n.at >= $since.intent AND n.uid >= ''
  RETURN 'intent' AS kind, n.at AS at, n.uid AS uid
  UNION ALL
  MATCH (n:Voice) USING INDEX SEEK n:Voice(at, uid)
  WHERE n.at >= $since.voice AND n.uid >= ''
  RETURN 'voice' AS kind, n.at AS at, n.uid AS uid
  UNION ALL
  MATCH (n:Approval) USING INDEX SEEK n:Approval(asked_at, uid)
  WHERE n.asked_at >= $since.request AND n.uid >= ''
  RETURN 'request' AS kind, n.asked_at AS at, n.uid AS uid
  UNION ALL
  MATCH (n:Approval) USING INDEX SEEK n:Approval(answered_at, uid)
  WHERE n.answered_at >= $since.answer AND n.uid >= ''
  RETURN 'answer' AS kind, n.answered_at AS at, n.uid AS uid
  UNION ALL
  MATCH (n:TraceEvent) USING INDEX SEEK n:TraceEvent(at, uid)
  WHERE n.at >= $since.step AND n.uid >= ''
  RETURN 'step' AS kind, n.at AS at, n.uid AS uid
  UNION ALL
  MATCH (n:LinkChange) USING INDEX SEEK n:LinkChange(at, uid)
  WHERE n.at >= $since.link AND n.uid >= ''
  RETURN 'link' AS kind, n.at AS at, n.uid AS uid
  UNION ALL
  MATCH (n:Appeal) USING INDEX SEEK n:Appeal(at, uid)
  WHERE n.at >= $since.appeal AND n.uid >= ''
  RETURN 'appeal' AS kind, n.at AS at, n.uid AS uid
  UNION ALL
  MATCH (n:Appeal) USING INDEX SEEK n:Appeal(decided_at, uid)
  WHERE n.decided_at >= $since.ruling AND n.uid >= ''
  RETURN 'ruling' AS kind, n.decided_at AS at, n.uid AS uid
  UNION ALL
  MATCH (n:ProposalStep) USING INDEX SEEK n:ProposalStep(at, uid)
  WHERE n.at >= $since.proposal AND n.uid >= ''
  RETURN 'proposal' AS kind, n.at AS at, n.uid AS uid
}
RETURN kind, at, uid
