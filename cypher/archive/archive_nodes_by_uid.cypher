// Returns the element ids of the nodes with $uids, of any label.
UNWIND $uids AS uid
CALL (uid) {
  MATCH (n:Decision {uid: uid}) USING INDEX n:Decision(uid) RETURN elementId(n) AS id
  UNION ALL
  MATCH (n:Reason {uid: uid}) USING INDEX n:Reason(uid) RETURN elementId(n) AS id
  UNION ALL
  MATCH (n:Review {uid: uid}) USING INDEX n:Review(uid) RETURN elementId(n) AS id
  UNION ALL
  MATCH (n:Revision {uid: uid}) USING INDEX n:Revision(uid) RETURN elementId(n) AS id
  UNION ALL
  MATCH (n:Session {uid: uid}) USING INDEX n:Session(uid) RETURN elementId(n) AS id
  UNION ALL
  MATCH (n:TraceEvent {uid: uid}) USING INDEX n:TraceEvent(uid) RETURN elementId(n) AS id
  UNION ALL
  MATCH (n:Verdict {uid: uid}) USING INDEX n:Verdict(uid) RETURN elementId(n) AS id
  UNION ALL
  MATCH (n:SYS_Change {uid: uid}) USING INDEX n:SYS_Change(uid) RETURN elementId(n) AS id
  UNION ALL
  MATCH (n:CircuitReset {uid: uid}) USING INDEX n:CircuitReset(uid) RETURN elementId(n) AS id
  UNION ALL
  MATCH (n:Approval {uid: uid}) USING INDEX n:Approval(uid) RETURN elementId(n) AS id
  UNION ALL
  MATCH (n:Proposal {uid: uid}) USING INDEX n:Proposal(uid) RETURN elementId(n) AS id
  UNION ALL
  MATCH (n:Replay {uid: uid}) USING INDEX n:Replay(uid) RETURN elementId(n) AS id
  UNION ALL
  MATCH (n:ProposalStep {uid: uid}) USING INDEX n:ProposalStep(uid) RETURN elementId(n) AS id
  UNION ALL
  MATCH (n:Appeal {uid: uid}) USING INDEX n:Appeal(uid) RETURN elementId(n) AS id
  UNION ALL
  MATCH (n:Feedback {uid: uid}) USING INDEX n:Feedback(uid) RETURN elementId(n) AS id
  UNION ALL
  MATCH (n:UnmetNeed {uid: uid}) USING INDEX n:UnmetNeed(uid) RETURN elementId(n) AS id
  UNION ALL
  MATCH (n:LinkChange {uid: uid}) USING INDEX n:LinkChange(uid) RETURN elementId(n) AS id
  UNION ALL
  MATCH (n:Chunk {uid: uid}) USING INDEX n:Chunk(uid) RETURN elementId(n) AS id
  UNION ALL
  MATCH (n:Intent {uid: uid}) USING INDEX n:Intent(uid) RETURN elementId(n) AS id
  UNION ALL
  MATCH (n:Voice {uid: uid}) USING INDEX n:Voice(uid) RETURN elementId(n) AS id
  UNION ALL
  MATCH (n:PeerVerdict {uid: uid}) USING INDEX n:PeerVerdict(uid) RETURN elementId(n) AS id
  UNION ALL
  MATCH (n:PeerDecision {uid: uid}) USING INDEX n:PeerDecision(uid) RETURN elementId(n) AS id
  UNION ALL
  MATCH (n:Execution {uid: uid}) USING INDEX n:Execution(uid) RETURN elementId(n) AS id
  UNION ALL
  MATCH (n:ForgottenChunk {uid: uid}) USING INDEX n:ForgottenChunk(uid) RETURN elementId(n) AS id
}
RETURN uid, id
