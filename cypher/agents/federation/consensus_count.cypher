// Returns the state of the consensus with the uid $intent: the newest vote of each counted agent, if it came from that agent's server or with its token.
MATCH (i:Intent {uid: $intent})
CALL (i) {
  MATCH (i)<-[:ON]-(v:Voice)
  WHERE v.agent_key IN i.asked_keys AND (v.peer IS NOT NULL OR v.agent_asserted = false)
  WITH v ORDER BY v.at DESC, v.uid DESC
  WITH v.agent_key AS key, collect(v)[0] AS v
  RETURN collect(properties(v)) AS voices
}
RETURN i.consensus_state AS state, i.quorum AS quorum, i.asked AS asked, voices
