// Finishes the consensus with the uid $intent unless it is finished. It is reached, and valid for $milliseconds, if enough agents for its quorum agree; otherwise it has failed.
MATCH (i:Intent {uid: $intent})
SET i.held = true
REMOVE i.held
WITH i, i.consensus_state = 'open' AS open
CALL (i, open) {
  MATCH (i)<-[:ON]-(v:Voice)
  WHERE v.agent_key IN i.asked_keys AND (v.peer IS NOT NULL OR v.agent_asserted = false) AND (open OR v.at <= i.settled_at)
  WITH v ORDER BY v.at DESC, v.uid DESC
  WITH v.agent_key AS key, collect(v)[0] AS v
  RETURN collect(properties(v)) AS voices, count(CASE WHEN v.allowed THEN 1 END) AS agreed
}
FOREACH (none IN CASE WHEN open THEN [1] ELSE [] END |
  SET i.consensus_state = CASE WHEN agreed >= i.quorum THEN 'reached' ELSE 'failed' END, i.settled_at = datetime(),
      i.agreed = [v IN voices WHERE v.allowed | v.agent], i.objected = [v IN voices WHERE NOT v.allowed | v.agent],
      i.valid_until = CASE WHEN agreed >= i.quorum THEN datetime() + duration({milliseconds: $milliseconds}) END)
RETURN i.consensus_state AS state, i.quorum AS quorum, i.asked AS asked, voices, i.valid_until AS valid_until
